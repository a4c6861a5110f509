// Safe ways to the DOM. A form (and a document) lets controls named "action", "parentNode" or "getAttribute" shadow its
// own properties, in every world, so nothing here reads a property from a node by name: each getter is taken from its
// prototype once and applied. Getters work on nodes of other same-origin frames too.

/**
 * @param {any} proto a prototype that owns the accessor
 * @param {string} name the accessor's name
 * @returns {(node: any) => any}
 */
function getterOf(proto, name) {
  const get = /** @type {() => any} */ (Object.getOwnPropertyDescriptor(proto, name)?.get);
  return (node) => get.call(node);
}

/**
 * @param {any} proto a prototype that owns the accessor
 * @param {string} name the accessor's name
 * @returns {(node: any, value: any) => void}
 */
function setterOf(proto, name) {
  const set = /** @type {(value: any) => void} */ (Object.getOwnPropertyDescriptor(proto, name)?.set);
  return (node, value) => set.call(node, value);
}

const ELEMENT = 1;
const TEXT = 3;
const DOCUMENT = 9;
const FRAGMENT = 11;

const parentNodeOf = getterOf(Node.prototype, 'parentNode');
const firstChildOf = getterOf(Node.prototype, 'firstChild');
const nextSiblingOf = getterOf(Node.prototype, 'nextSibling');
const previousSiblingOf = getterOf(Node.prototype, 'previousSibling');
const nodeTypeOf = getterOf(Node.prototype, 'nodeType');
const isConnected = getterOf(Node.prototype, 'isConnected');
const ownerDocumentOf = getterOf(Node.prototype, 'ownerDocument');
const textContentOf = getterOf(Node.prototype, 'textContent');
const dataOf = getterOf(CharacterData.prototype, 'data');
const localNameOf = getterOf(Element.prototype, 'localName');
const namespaceOf = getterOf(Element.prototype, 'namespaceURI');
const openRootOf = getterOf(Element.prototype, 'shadowRoot');
const assignedSlotOf = getterOf(Element.prototype, 'assignedSlot');
const hostOf = getterOf(ShadowRoot.prototype, 'host');
const defaultViewOf = getterOf(Document.prototype, 'defaultView');
const documentElementOf = getterOf(Document.prototype, 'documentElement');
const bodyOf = getterOf(Document.prototype, 'body');
const isContentEditable = getterOf(HTMLElement.prototype, 'isContentEditable');

const getAttribute = Element.prototype.getAttribute;
const hasAttribute = Element.prototype.hasAttribute;
const matchesSelector = Element.prototype.matches;
const closestSelector = Element.prototype.closest;
const rectOfElement = Element.prototype.getBoundingClientRect;
const nodeContains = Node.prototype.contains;
const nodeRoot = Node.prototype.getRootNode;
const comparePosition = Node.prototype.compareDocumentPosition;
const elementQueryAll = Element.prototype.querySelectorAll;
const documentQueryAll = Document.prototype.querySelectorAll;
const fragmentQueryAll = DocumentFragment.prototype.querySelectorAll;
const documentById = Document.prototype.getElementById;
const fragmentById = DocumentFragment.prototype.getElementById;
const slotAssigned = HTMLSlotElement.prototype.assignedNodes;

// A closed root is hidden from every script. DevTools hands over a node in it, and the way up from there is open.
const closedRoots = new WeakMap();
let knowsClosed = false;

/** @param {any} el @returns {any} its shadow root, open or closed and known; null if none */
function shadowRootOf(el) {
  return openRootOf(el) || (knowsClosed && closedRoots.get(el)) || null;
}

/** @param {any} node a node that may be in a closed shadow root */
function noteClosed(node) {
  const root = rootOf(node);
  const host = nodeTypeOf(root) === FRAGMENT ? shadowHost(root) : null;
  if (!host || openRootOf(host)) return;
  closedRoots.set(host, root);
  knowsClosed = true;
}

const ATTRIBUTE_CHARS_MAX = 10000;

/** @param {any} el @param {string} name @returns {string} the attribute, "" when absent, cut where no honest one ends */
function attr(el, name) {
  const value = getAttribute.call(el, name) || '';
  return value.length > ATTRIBUTE_CHARS_MAX ? value.slice(0, ATTRIBUTE_CHARS_MAX) : value;
}

/** @param {any} el @param {string} name @returns {boolean} */
function hasAttr(el, name) {
  return hasAttribute.call(el, name);
}

/** @param {any} el @param {string} selector @returns {boolean} */
function matches(el, selector) {
  return matchesSelector.call(el, selector);
}

/** @param {any} el @param {string} selector @returns {Element | null} within its own tree */
function closest(el, selector) {
  return closestSelector.call(el, selector);
}

const attributeNamesOf = Element.prototype.getAttributeNames;
const hasAnyAttribute = Element.prototype.hasAttributes;

// One native call for each element instead of a dozen: which of the attributes that matter to the walk it has.
const HAS_ROLE = 1;
const HAS_ARIA_HIDDEN = 2;
const HAS_INERT = 4;
const HAS_EDITABLE = 8;
const HAS_TABINDEX = 16;
const HAS_CLICK = 32;
const HAS_BUSY = 64;
const FLAG_OF_ATTRIBUTE = new Map([
  ['role', HAS_ROLE], ['aria-hidden', HAS_ARIA_HIDDEN], ['inert', HAS_INERT], ['contenteditable', HAS_EDITABLE],
  ['tabindex', HAS_TABINDEX], ['aria-busy', HAS_BUSY], ['onclick', HAS_CLICK], ['onmousedown', HAS_CLICK], ['onmouseup', HAS_CLICK],
  ['onpointerdown', HAS_CLICK], ['onpointerup', HAS_CLICK], ['ontouchstart', HAS_CLICK], ['ondblclick', HAS_CLICK],
]);

/** @param {any} el @returns {number} HAS_ flags */
function attributeFlags(el) {
  if (!hasAnyAttribute.call(el)) return 0;
  let flags = 0;
  for (const name of attributeNamesOf.call(el)) flags |= FLAG_OF_ATTRIBUTE.get(name) || 0;
  return flags;
}

/** @param {any} outer @param {any} inner @returns {boolean} */
function contains(outer, inner) {
  return nodeContains.call(outer, inner);
}

/** @param {any} node @returns {boolean} */
function isElement(node) {
  return node !== null && node !== undefined && nodeTypeOf(node) === ELEMENT;
}

/** @param {any} root document, shadow root or element @param {string} selector @returns {NodeListOf<Element>} */
function queryAll(root, selector) {
  const type = nodeTypeOf(root);
  if (type === DOCUMENT) return documentQueryAll.call(root, selector);
  if (type === FRAGMENT) return fragmentQueryAll.call(root, selector);
  return elementQueryAll.call(root, selector);
}

/** @param {any} node @returns {any} its document or shadow root */
function rootOf(node) {
  return nodeRoot.call(node);
}

/** @param {any} node a node in whose tree the id is looked up @param {string} id @returns {Element | null} */
function byId(node, id) {
  const root = rootOf(node);
  const type = nodeTypeOf(root);
  if (type === DOCUMENT) return documentById.call(root, id);
  if (type === FRAGMENT) return fragmentById.call(root, id);
  return null;
}

/** @param {any} el @param {string} attribute @returns {Element[]} elements that an IDREF list names, at most 50 */
function idRefs(el, attribute) {
  const value = attr(el, attribute);
  if (!value) return [];
  /** @type {Element[]} */
  const found = [];
  for (const id of value.split(/[ \t\n\r\f]+/).slice(0, 50)) {
    const target = id ? byId(el, id) : null;
    if (target && !found.includes(target)) found.push(target);
  }
  return found;
}

/** @param {any} node @returns {Element | null} parent in the flat tree: slot, then parent, then shadow host */
function flatParent(node) {
  if (nodeTypeOf(node) === ELEMENT) {
    const slot = assignedSlotOf(node);
    if (slot) return slot;
  }
  const parent = parentNodeOf(node);
  if (!parent) return null;
  const type = nodeTypeOf(parent);
  if (type === ELEMENT) return parent;
  return type === FRAGMENT ? shadowHost(parent) : null;
}

/** @param {any} fragment @returns {Element | null} the host when the fragment is a shadow root */
function shadowHost(fragment) {
  try {
    return hostOf(fragment);
  } catch {
    return null;
  }
}

/**
 * The flat-tree children when they are not simply the light children.
 * @param {any} el
 * @returns {Node[] | null} null: walk firstChild and nextSibling
 */
function specialChildren(el) {
  const shadow = shadowRootOf(el);
  if (shadow) {
    const list = [];
    for (let node = firstChildOf(shadow); node; node = nextSiblingOf(node)) list.push(node);
    return list;
  }
  if (localNameOf(el) === 'slot' && isHtml(el)) {
    const assigned = slotAssigned.call(el);
    if (assigned.length > 0) return assigned;
  }
  return null;
}

/** @param {any} el @returns {Node[]} children in the flat tree */
function flatChildren(el) {
  const special = specialChildren(el);
  if (special) return special;
  const list = [];
  for (let node = firstChildOf(el); node; node = nextSiblingOf(node)) list.push(node);
  return list;
}

/** @param {any} outer @param {any} inner @returns {boolean} inner is outer or inside it, through shadow roots */
function flatContains(outer, inner) {
  for (let node = inner, steps = 0; node && steps < 20000; node = flatParent(node), steps++) {
    if (node === outer) return true;
  }
  return contains(outer, inner);
}

/** @param {any} el @returns {boolean} an HTML element */
function isHtml(el) {
  return namespaceOf(el) === 'http://www.w3.org/1999/xhtml';
}

/** @param {any} el @returns {string} local name for HTML elements, "svg:name" for SVG ones, else "" */
function tagOf(el) {
  const ns = namespaceOf(el);
  if (ns === 'http://www.w3.org/1999/xhtml') return localNameOf(el);
  if (ns === 'http://www.w3.org/2000/svg') return 'svg:' + localNameOf(el);
  return '';
}

/** @param {string} text @returns {string} ASCII white space collapsed and trimmed; other spaces are content */
function collapse(text) {
  return text.replace(/[ \t\n\r\f]+/g, ' ').replace(/^ | $/g, '');
}

/** @param {string} text @returns {string} every white space collapsed, lone surrogates and NULs made harmless */
function tidy(text) {
  return text.replace(/[\s\u0000]+/g, ' ').trim().toWellFormed();
}

/** @param {string} text @param {number} max characters @returns {string} cut at max, never inside a surrogate pair */
function cut(text, max) {
  return text.length <= max ? text.toWellFormed() : text.slice(0, max).toWellFormed().replace(/\uFFFD$/, '').trimEnd();
}

// One number for each element that was ever listed in this document; a number is never used again.
const keyOfElement = new WeakMap();
const elementOfKey = new Map();
let lastKey = 0;

/** @param {any} el @returns {number} */
function keyFor(el) {
  let key = keyOfElement.get(el);
  if (key === undefined) {
    key = ++lastKey;
    keyOfElement.set(el, key);
    elementOfKey.set(key, new WeakRef(el));
  }
  return key;
}

/** @param {number} key @returns {Element | null} the element while it is still in a document that is shown */
function elementFor(key) {
  const ref = elementOfKey.get(key);
  const el = ref ? ref.deref() : undefined;
  if (!el || !isConnected(el)) return null;
  return defaultViewOf(ownerDocumentOf(el)) ? el : null;
}
