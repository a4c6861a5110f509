// What is shown. Computed styles, boxes and names are remembered for one pass only, because a page may change between two.

/**
 * @typedef {object} Pass
 * @property {Map<any, CSSStyleDeclaration>} styles
 * @property {Map<any, boolean>} rendered
 * @property {Map<any, string>} names
 * @property {Map<any, {color: string, el: any} | null>} grounds
 * @property {Map<any, number>} opacities
 * @property {Map<any, any>} memo other facts, by kind and element
 */

/** @returns {Pass} */
function newPass() {
  return { styles: new Map(), rendered: new Map(), names: new Map(), grounds: new Map(), opacities: new Map(), memo: new Map() };
}

let pass = newPass();

/**
 * Runs one reading of the page with fresh memory.
 * @template T
 * @param {() => T} read
 * @returns {T}
 */
function inPass(read) {
  const outer = pass;
  pass = newPass();
  try {
    return read();
  } finally {
    pass = outer;
  }
}

/**
 * @template T
 * @param {string} kind @param {any} el @param {(el: any) => T} compute
 * @returns {T}
 */
function remember(kind, el, compute) {
  let table = pass.memo.get(kind);
  if (!table) pass.memo.set(kind, (table = new Map()));
  if (table.has(el)) return table.get(el);
  const value = compute(el);
  table.set(el, value);
  return value;
}

/** @param {any} el @returns {CSSStyleDeclaration} */
function styleOf(el) {
  let style = pass.styles.get(el);
  if (!style) pass.styles.set(el, (style = getComputedStyle(el)));
  return style;
}

const checkVisible = Element.prototype.checkVisibility;
const OPACITY_SHOWN_MIN = 0.05;
const CLIMB_MAX = 2000;

/** @param {any} el @returns {boolean} display, content-visibility and closed details let it have a box */
function hasBox(el) {
  const known = pass.rendered.get(el);
  if (known !== undefined) return known;
  const shown = tagOf(el) === 'area' ? areaBox(el) !== null
    : styleOf(el).display === 'contents' ? contentsHasBox(el) : checkVisible.call(el);
  pass.rendered.set(el, shown);
  return shown;
}

/** A display:contents element has no box itself, so the nearest ancestor with one answers. @param {any} el */
function contentsHasBox(el) {
  let node = flatParent(el);
  for (let steps = 0; node && steps < CLIMB_MAX; node = flatParent(node), steps++) {
    if (styleOf(node).display !== 'contents') return checkVisible.call(node);
  }
  return true;
}

/** @param {any} el @returns {boolean} rendered with visibility visible: what accessible names call not hidden */
function isRendered(el) {
  return hasBox(el) && styleOf(el).visibility === 'visible';
}

/** @param {any} el @returns {boolean} it or an ancestor is aria-hidden */
function isAriaHidden(el) {
  for (let node = el, steps = 0; node && steps < CLIMB_MAX; node = flatParent(node), steps++) {
    if (attr(node, 'aria-hidden') === 'true') return true;
  }
  return false;
}

/** @param {any} el @returns {boolean} inert, by attribute, style or because a modal dialog is open elsewhere */
function isInert(el) {
  for (let node = el, steps = 0; node && steps < CLIMB_MAX; node = flatParent(node), steps++) {
    if (hasAttr(node, 'inert')) return true;
    if (tagOf(node) === 'dialog' && matches(node, ':modal')) return false;
  }
  return modalOf(ownerDocumentOf(el)) !== null;
}

/** @param {any} doc @returns {Element | null} the last open modal dialog */
function modalOf(doc) {
  return remember('modal', doc, () => {
    const modals = queryAll(doc, 'dialog:modal');
    return modals.length ? modals[modals.length - 1] : null;
  });
}

/** @param {any} el @returns {number} product of the opacities of it and its ancestors */
function opacityOf(el) {
  const chain = [];
  let product;
  for (let node = el; node; node = flatParent(node)) {
    product = pass.opacities.get(node);
    if (product !== undefined || chain.length > CLIMB_MAX) break;
    chain.push(node);
  }
  product ??= 1;
  for (const node of chain.reverse()) {
    product *= Number(styleOf(node).opacity);
    pass.opacities.set(node, product);
  }
  return product < OPACITY_SHOWN_MIN ? 0 : product;
}

/**
 * @typedef {{x: number, y: number, width: number, height: number}} Box CSS pixels
 */

/** @param {any} el @returns {Box} in its own frame's viewport */
function boxOf(el) {
  if (tagOf(el) === 'area') return areaBox(el) || emptyBox();
  const rect = rectOfElement.call(el);
  if ((rect.width < 1 || rect.height < 1) && styleOf(el).display === 'contents') return contentBox(el);
  return rect;
}

/** @returns {Box} */
function emptyBox() {
  return { x: 0, y: 0, width: 0, height: 0 };
}

/** @param {any} el @returns {Box} of its contents, for elements without a box of their own */
function contentBox(el) {
  const range = new Range();
  range.selectNodeContents(el);
  return range.getBoundingClientRect();
}

const areaCoords = getterOf(HTMLAreaElement.prototype, 'coords');
const areaShape = getterOf(HTMLAreaElement.prototype, 'shape');

/** @param {any} area @returns {Box | null} bounding box of the shape on the first picture that uses its map */
function areaBox(area) {
  const map = closest(area, 'map');
  if (!map) return null;
  const name = attr(map, 'name') || attr(map, 'id');
  const image = Array.from(queryAll(rootOf(area), 'img[usemap],object[usemap]'))
    .find((img) => attr(img, 'usemap').slice(1) === name);
  if (!name || !image) return null;
  const rect = rectOfElement.call(image);
  const shape = (areaShape(area) || 'rect').toLowerCase();
  if (shape.startsWith('def')) return { x: rect.x, y: rect.y, width: rect.width, height: rect.height };
  /** @type {number[]} */
  const n = areaCoords(area).split(/[ ,;]+/).map(Number);
  if (n.some((value) => !Number.isFinite(value)) || n.length < 3) return null;
  if (shape.startsWith('circ')) return { x: rect.x + n[0] - n[2], y: rect.y + n[1] - n[2], width: 2 * n[2], height: 2 * n[2] };
  const xs = n.filter((_, i) => i % 2 === 0);
  const ys = n.filter((_, i) => i % 2 === 1);
  const left = Math.min(...xs);
  const top = Math.min(...ys);
  return { x: rect.x + left, y: rect.y + top, width: Math.max(...xs) - left, height: Math.max(...ys) - top };
}

/**
 * @typedef {object} Frame a readable document and where its viewport lies in the top one
 * @property {any} doc
 * @property {any} view its window
 * @property {number} x @property {number} y offset of its viewport
 * @property {number} scaleX @property {number} scaleY
 * @property {string} origin "" for the top document's own origin
 * @property {Frame | null} parent
 * @property {any} element the iframe element, null at the top
 * @property {number} scrollX @property {number} scrollY how far its page is scrolled
 * @property {{left: number, width: number, locked: boolean}} [extent] how far its page goes sideways
 */

/**
 * Where the viewport of a frame of another origin lies in the page's viewport, and what part of it shows there.
 * @typedef {{x: number, y: number, scaleX: number, scaleY: number, left: number, top: number, right: number, bottom: number}} Place
 */

// This script runs in the page's own document and in each frame that no script of another document can look into.
const isWholePage = window === window.top;

/** Told by the document around it, through the browser, since a frame cannot see where it stands. @type {Place | null} */
let place = null;

/** @param {Place | null | undefined} told null: this is the page itself */
function standAt(told) {
  place = told ?? null;
}

/** @returns {{left: number, top: number, right: number, bottom: number}} what of this document's viewport shows, in the page's */
function shownArea() {
  return place ?? { left: 0, top: 0, right: window.innerWidth, bottom: window.innerHeight };
}

/** @returns {Frame} the outermost document that this script can read */
function topFrame() {
  const { x, y, scaleX, scaleY } = place ?? { x: 0, y: 0, scaleX: 1, scaleY: 1 };
  return {
    doc: document, view: window, x, y, scaleX, scaleY, origin: '', parent: null, element: null,
    scrollX: window.scrollX, scrollY: window.scrollY,
  };
}

const frameDocument = getterOf(HTMLIFrameElement.prototype, 'contentDocument');
const clientLeftOf = getterOf(Element.prototype, 'clientLeft');
const clientTopOf = getterOf(Element.prototype, 'clientTop');
const offsetWidthOf = getterOf(HTMLElement.prototype, 'offsetWidth');
const offsetHeightOf = getterOf(HTMLElement.prototype, 'offsetHeight');

/** @param {any} el an iframe or frame element @returns {Document | null} null when another origin owns it */
function documentIn(el) {
  try {
    const doc = localNameOf(el) === 'iframe' ? frameDocument(el) : el.contentDocument;
    return doc && defaultViewOf(doc) && documentElementOf(doc) ? doc : null;
  } catch {
    return null;
  }
}

/** @param {any} el frame element @param {any} doc its document @param {Frame} parent @returns {Frame} */
function frameOf(el, doc, parent) {
  const view = defaultViewOf(doc);
  const { x, y, scaleX, scaleY } = innerViewport(el, parent);
  return { doc, view, parent, element: el, scrollX: view.scrollX, scrollY: view.scrollY, x, y, scaleX, scaleY, origin: originOf(doc) };
}

/** @param {any} el frame element @param {Frame} parent @returns {{x: number, y: number, scaleX: number, scaleY: number, width: number, height: number}} in the top viewport, without border and padding */
function innerViewport(el, parent) {
  const rect = rectOfElement.call(el);
  const style = styleOf(el);
  const scaleX = offsetWidthOf(el) > 0 ? rect.width / offsetWidthOf(el) : 1;
  const scaleY = offsetHeightOf(el) > 0 ? rect.height / offsetHeightOf(el) : 1;
  const padding = (/** @type {string} */ side) => parseFloat(style.getPropertyValue('padding-' + side)) || 0;
  const left = (clientLeftOf(el) + padding('left')) * scaleX;
  const top = (clientTopOf(el) + padding('top')) * scaleY;
  return {
    x: parent.x + (rect.x + left) * parent.scaleX, y: parent.y + (rect.y + top) * parent.scaleY,
    scaleX: parent.scaleX * scaleX, scaleY: parent.scaleY * scaleY,
    width: Math.max(0, clientWidthOf(el) - padding('left') - padding('right')) * scaleX * parent.scaleX,
    height: Math.max(0, clientHeight(el) - padding('top') - padding('bottom')) * scaleY * parent.scaleY,
  };
}

/** @param {any} doc @returns {string} origin of a frame's document, "" when it is the page's own */
function originOf(doc) {
  const origin = defaultViewOf(doc).origin;
  return isWholePage && origin === window.origin ? '' : String(origin);
}

/** @param {any} el @returns {Frame | null} the frame that holds it, rebuilt from the top; null when a link is missing */
function frameHolding(el) {
  const chain = [];
  let doc = ownerDocumentOf(el);
  while (doc !== document) {
    const view = defaultViewOf(doc);
    const holder = view ? view.frameElement : null;
    if (!holder || chain.length > 20) return null;
    chain.push([holder, doc]);
    doc = ownerDocumentOf(holder);
  }
  let frame = topFrame();
  for (const [holder, inner] of chain.reverse()) frame = frameOf(holder, inner, frame);
  return frame;
}

/** @param {Box} box in the frame's viewport @param {Frame} frame @returns {Box} in the top viewport */
function toTop(box, frame) {
  if (frame.parent === null && !place) return box;
  return {
    x: frame.x + box.x * frame.scaleX, y: frame.y + box.y * frame.scaleY,
    width: box.width * frame.scaleX, height: box.height * frame.scaleY,
  };
}

const WRAPPER_SIZE_MAX = 80;

/** @param {any} el @returns {boolean} kinds of input that pages draw by something else */
function isCheckable(el) {
  return tagOf(el) === 'input' && ['checkbox', 'radio', 'file'].includes(inputTypeOf(el));
}

/**
 * Widget kits lay a see-through checkbox over a small painted box. It counts as shown when that box is about its size.
 * @param {any} el
 * @returns {boolean}
 */
function isPaintedAround(el) {
  if (!isCheckable(el) || inputTypeOf(el) === 'file') return false;
  const wrapper = flatParent(el);
  if (!wrapper) return false;
  const outer = boxOf(wrapper);
  const inner = boxOf(el);
  const small = Math.max(outer.width, outer.height, inner.width, inner.height) <= WRAPPER_SIZE_MAX;
  const x = inner.x + inner.width / 2;
  const y = inner.y + inner.height / 2;
  const within = x >= outer.x && x <= outer.x + outer.width && y >= outer.y && y <= outer.y + outer.height;
  return small && within && [wrapper, ...flatChildren(wrapper).slice(0, 10)].some((node) => node !== el && isElement(node) && isPainted(node));
}

/** @param {any} el @returns {boolean} draws something itself */
function isPainted(el) {
  const style = styleOf(el);
  if (style.visibility !== 'visible') return false;
  if (PAINTED_TAGS.has(tagOf(el)) || style.backgroundImage !== 'none' || !isClear(style.backgroundColor)) return true;
  if (parseFloat(style.borderTopWidth) > 0) return true;
  return getComputedStyle(el, '::before').content !== 'none' || getComputedStyle(el, '::after').content !== 'none';
}
