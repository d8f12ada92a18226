"""The page's surroundings as a browser tab gives them: the only package that imports js and pyodide.

Every module here is imported when the memory snapshot is made, in a process that has no window. So none of
them touches the browser at import; they look names up on `js` each time, which also lets a test replace them.
"""
