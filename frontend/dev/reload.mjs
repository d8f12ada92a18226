// Development only: asks the server whether something has changed, and shows it. The server puts into the script's
// address which process it is.
const EVERY_MS = 300;
const drawnBy = new URL(import.meta.url).searchParams.get("process");
const sheet = document.querySelector('link[rel="stylesheet"]');

async function ask() {
  const answer = await fetch("/dev/changes");
  if (!answer.ok) return;
  const { process, stylesheet } = await answer.json();
  if (process !== drawnBy) location.reload();
  else if (sheet.getAttribute("href") !== stylesheet) sheet.setAttribute("href", stylesheet);
}

function askAgain() {
  setTimeout(() => ask().catch(() => {}).then(askAgain), EVERY_MS); // while the server starts nobody answers
}
askAgain();
