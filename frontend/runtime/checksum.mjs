/**
 * Tells a damaged memory image from a whole one. The browser could compare a SHA-256 instead (fetch's `integrity`):
 * measured, that costs a warm start 110 ms, a third of its time; this costs a few. It need not resist forgery, since
 * the image comes from where this script comes from.
 * @param {Uint8Array} bytes a whole number of 32-bit words
 * @returns {string}
 */
export function checksum(bytes) {
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4);
  let sum = 0;
  let sumOfSums = 0; // notices exchanged words, too
  for (let i = 0; i < words.length; i++) {
    sum = (sum + words[i]) | 0;
    sumOfSums = (sumOfSums + sum) | 0;
  }
  return `${words.length}-${sum >>> 0}-${sumOfSums >>> 0}`;
}
