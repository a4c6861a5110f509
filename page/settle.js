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

let scrolls = 0;
listen.call(document, 'scroll', () => void scrolls++, true);

const animationsOf = Document.prototype.getAnimations;

/** What the last look saw, as far as no mutation tells of it. @type {{mutations: number, scrolls: number, width: number, height: number, focus: any, states: Array<[any, string]>} | null} */
let lastLook = null;

/** @param {any[]} elements those that were listed @param {Seen} seen */
function noteLook(elements, seen) {
  lastLook = null;
  // A frame's styles and an animation change what shows without a word.
  if (seen.frames > 1 || seen.unreadableFrames.length > 0) return;
  if (queryAll(document, 'iframe,frame,object,embed').length > 0 || animationsOf.call(document).length > 0) return;
  const states = elements.filter((el) => fieldTypeOf(el) || isCheckable(el) || tagOf(el) === 'select');
  lastLook = {
    mutations: mutationCount(), scrolls, width: window.innerWidth, height: window.innerHeight, focus: activeInDocument(document),
    states: states.map((el) => [el, stateWord(el)]),
  };
}

/** @param {any} el @returns {string} what is in it */
function stateWord(el) {
  const value = fieldTypeOf(el) && inputTypeIsReadable(el) ? fieldValue(el) : '';
  return JSON.stringify([value, checkedState(el), tagOf(el) === 'select' ? chosenLabels(el) : [], isDisabled(el)]);
}

/** @returns {boolean} the last look would see the same again */
function asSeen() {
  return inPass(() => lastLook !== null && mutationCount() === lastLook.mutations && scrolls === lastLook.scrolls
    && window.innerWidth === lastLook.width && window.innerHeight === lastLook.height && activeInDocument(document) === lastLook.focus
    && animationsOf.call(document).length === 0 && lastLook.states.every(([el, state]) => stateWord(el) === state));
}

const readyStateOf = getterOf(Document.prototype, 'readyState');

/** @param {boolean} looked whether the last look is waiting for its word @returns {{sinceMutationMs: number, readyState: string, asSeen: boolean}} */
function quiet(looked) {
  watchTree(document);
  mutationCount();
  return { sinceMutationMs: performance.now() - lastMutation, readyState: readyStateOf(document), asSeen: looked && asSeen() };
}
