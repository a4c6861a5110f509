// Text that a person can see. Cheap computed-style checks only: what the pixels show is decided elsewhere.

const FONT_SIZE_SHOWN_MIN = 3;
const TEXT_INDENT_SHOWN_MIN = -200;
const TEXT_NODES_MAX = 3000;
const TEXT_DEPTH_MAX = 400;

const UNSEEN_TAGS = new Set([
  'script', 'style', 'template', 'noscript', 'head', 'title', 'meta', 'link', 'datalist', 'option', 'optgroup', 'textarea',
  'audio', 'video', 'canvas', 'object', 'iframe', 'frame', 'frameset', 'embed', 'noframes', 'svg:title', 'svg:desc', 'svg:defs',
  'svg:metadata', 'svg:symbol', 'svg:style', 'svg:script', 'rp',
]);

/**
 * @typedef {object} Collected
 * @property {string} text
 * @property {number} max stop when this many characters are there
 * @property {number} nodes that may still be read
 * @property {(el: any) => boolean} skip
 */

/**
 * The visible text inside an element, white space collapsed, blocks apart by a space.
 * @param {any} el
 * @param {number} max characters
 * @param {(el: any) => boolean} [skip] subtrees to leave out
 * @returns {string}
 */
function visibleTextIn(el, max, skip = skipNothing) {
  const out = { text: '', max: max * 2 + 40, nodes: TEXT_NODES_MAX, skip };
  if (opacityOf(el) > 0 && hasBox(el)) collectText(el, out, 0);
  return cut(tidy(out.text), max);
}

/** @returns {boolean} */
function skipNothing() {
  return false;
}

/** @param {any} el @param {Collected} out @param {number} depth */
function collectText(el, out, depth) {
  const shown = ownTextIsSeen(el);
  const special = specialChildren(el);
  const list = special || null;
  let node = list ? list[0] : firstChildOf(el);
  for (let i = 1; node; node = list ? list[i++] : nextSiblingOf(node)) {
    if (out.text.length > out.max || --out.nodes < 0) return;
    const type = nodeTypeOf(node);
    if (type === TEXT) {
      if (shown) out.text += dataOf(node).slice(0, ATTRIBUTE_CHARS_MAX);
    } else if (type === ELEMENT && depth < TEXT_DEPTH_MAX) {
      collectChild(node, out, depth);
    }
  }
}

/** @param {any} el @param {Collected} out @param {number} depth */
function collectChild(el, out, depth) {
  const tag = tagOf(el);
  if (tag === 'br') {
    out.text += ' ';
    return;
  }
  if (UNSEEN_TAGS.has(tag) || out.skip(el)) {
    out.text += ' ';
    return;
  }
  const style = styleOf(el);
  const display = style.display;
  if (display === 'none' || Number(style.opacity) < OPACITY_SHOWN_MIN || (display !== 'contents' && !hasBox(el))) return;
  if (isClippedAway(el, style)) return;
  const apart = display !== 'inline' && display !== 'contents';
  if (apart) out.text += ' ';
  collectText(el, out, depth + 1);
  if (apart) out.text += ' ';
}

/** The "visually hidden" recipes: a clipped or one-pixel box. @param {any} el @param {CSSStyleDeclaration} style */
function isClippedAway(el, style) {
  const path = style.clipPath;
  if (path !== 'none' && clipsAll(path)) return true;
  if (style.position !== 'absolute' && style.position !== 'fixed') return false;
  if (clipRectIsEmpty(style.clip)) return true;
  const rect = rectOfElement.call(el);
  if (style.overflowX !== 'visible' && (rect.width < 2 || rect.height < 2)) return true;
  return rect.right + scrollLeftOf(el) <= 0 || rect.bottom + scrollTopOf(el) <= 0;
}

/** @param {any} el @returns {number} how far its document is scrolled sideways */
function scrollLeftOf(el) {
  return defaultViewOf(ownerDocumentOf(el)).scrollX;
}

/** @param {any} el @returns {number} how far its document is scrolled down */
function scrollTopOf(el) {
  return defaultViewOf(ownerDocumentOf(el)).scrollY;
}

/** @param {string} clip computed `clip` @returns {boolean} */
function clipRectIsEmpty(clip) {
  if (clip === 'auto') return false;
  const n = (clip.match(/-?[\d.]+/g) || []).map(Number);
  return n.length === 4 && (n[2] - n[0] < 2 || n[1] - n[3] < 2);
}

/** @param {string} path computed `clip-path` @returns {boolean} nothing is left of the box */
function clipsAll(path) {
  const inset = /^inset\(([^)]*)\)/.exec(path);
  if (inset) {
    const n = inset[1].split(/\s+/).filter((part) => part.endsWith('%')).map((part) => parseFloat(part));
    return n.length > 0 && n.every((value) => value >= 50);
  }
  if (/^(circle|ellipse)\(0(px|%)?(\s|\)|$)/.test(path)) return true;
  const points = /^polygon\((.*)\)$/.exec(path);
  if (!points) return false;
  return new Set(points[1].split(',').map((point) => point.trim())).size < 3;
}

/** @param {any} el @returns {boolean} text directly in it can be seen, as far as its computed style says */
function ownTextIsSeen(el) {
  const style = styleOf(el);
  if (style.visibility !== 'visible') return false;
  if (parseFloat(style.fontSize) < FONT_SIZE_SHOWN_MIN) return false;
  const indent = style.textIndent;
  if (indent !== '0px' && parseFloat(indent) < TEXT_INDENT_SHOWN_MIN) return false;
  return inkIsSeen(el, style);
}

/** @param {any} el @param {CSSStyleDeclaration} style @returns {boolean} its colour is neither clear nor its background's */
function inkIsSeen(el, style) {
  const ink = style.webkitTextFillColor;
  if (isClear(ink)) return style.webkitBackgroundClip === 'text' || style.textShadow !== 'none';
  const ground = groundOf(el);
  if (ground === null || ground.color !== ink || style.textShadow !== 'none') return true;
  return somethingBetween(el, ground.el);
}

/** @param {string} color computed colour @returns {boolean} alpha is (nearly) zero */
function isClear(color) {
  if (color.startsWith('rgb(')) return false;
  if (color === 'transparent') return true;
  const alpha = /(?:,|\/)\s*([\d.]+)(%?)\)$/.exec(color);
  if (!alpha || (!color.startsWith('rgba') && !color.includes('/'))) return false;
  return Number(alpha[1]) / (alpha[2] ? 100 : 1) < OPACITY_SHOWN_MIN;
}

/** @param {any} el @returns {{color: string, el: any} | null} nearest solid background behind it; null when a picture is in the way */
function groundOf(el) {
  const passed = [];
  let ground;
  for (let node = el; ground === undefined; ) {
    ground = pass.grounds.get(node);
    if (ground !== undefined) break;
    passed.push(node);
    ground = ownGround(node);
    if (ground === undefined) {
      const parent = flatParent(node);
      if (!parent || passed.length > CLIMB_MAX) ground = { color: 'rgb(255, 255, 255)', el: node };
      else node = parent;
    }
  }
  for (const node of passed) pass.grounds.set(node, ground);
  return ground;
}

/** @param {any} el @returns {{color: string, el: any} | null | undefined} undefined: one can see through it */
function ownGround(el) {
  const style = styleOf(el);
  const color = style.backgroundColor;
  if (style.backgroundImage !== 'none') return null;
  if (color.startsWith('rgb(')) return { color, el };
  return isClear(color) ? undefined : null;
}

/** @param {any} el @param {any} ground the ancestor that paints the background @returns {boolean} something else is painted between them */
function somethingBetween(el, ground) {
  const rect = rectOfElement.call(el);
  const doc = ownerDocumentOf(el);
  const stack = elementsAt.call(doc, rect.x + rect.width / 2, rect.y + rect.height / 2);
  for (const other of stack) {
    if (other === ground) return false;
    if (flatContains(other, el) || flatContains(el, other)) continue;
    const style = styleOf(other);
    if (style.backgroundImage !== 'none' || !isClear(style.backgroundColor) || PAINTED_TAGS.has(tagOf(other))) return true;
  }
  return false;
}

const elementsAt = Document.prototype.elementsFromPoint;
const PAINTED_TAGS = new Set(['img', 'video', 'canvas', 'svg:svg', 'svg:rect', 'svg:path', 'svg:image', 'object', 'embed']);
