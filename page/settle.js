// When the page last changed. Mutation observers work where page scripts are disabled and timers never fire.

let lastMutation = performance.now();
const watched = new WeakSet();
let mutations = 0;
const observer = new MutationObserver(noteMutation);

/** The page changed just now. */
function noteMutation() {
  lastMutation = performance.now();
  mutations++;
}

/** @returns {number} grows with every change of the watched trees, also of those not yet reported */
function mutationCount() {
  if (observer.takeRecords().length) noteMutation();
  return mutations;
}

/** @param {any} root a document or shadow root */
function watchTree(root) {
  if (watched.has(root)) return;
  watched.add(root);
  observer.observe(root, { childList: true, attributes: true, characterData: true, subtree: true });
}

const readyStateOf = getterOf(Document.prototype, 'readyState');

/** @returns {{sinceMutationMs: number, readyState: string, url: string}} */
function quiet() {
  watchTree(document);
  mutationCount();
  return { sinceMutationMs: performance.now() - lastMutation, readyState: readyStateOf(document), url: String(window.location.href) };
}
