// When the page last changed. Mutation observers work where page scripts are disabled and timers never fire.

let lastMutation = performance.now();
const watched = new WeakSet();
const observer = new MutationObserver(() => {
  lastMutation = performance.now();
});

/** @param {any} root a document or shadow root */
function watchTree(root) {
  if (watched.has(root)) return;
  watched.add(root);
  observer.observe(root, { childList: true, attributes: true, characterData: true, subtree: true });
}

/** @param {any} doc a frame's document */
function watchFrame(doc) {
  watchTree(doc);
}

const readyStateOf = getterOf(Document.prototype, 'readyState');

/** @returns {{sinceMutationMs: number, readyState: string, url: string}} */
function quiet() {
  watchTree(document);
  if (observer.takeRecords().length) lastMutation = performance.now();
  return { sinceMutationMs: performance.now() - lastMutation, readyState: readyStateOf(document), url: String(window.location.href) };
}
