// Where a press would land. A point counts only when the topmost element there, through shadow roots and frames, is the
// control, something plain inside it, or its label.

const elementAt = Document.prototype.elementFromPoint;
const shadowElementAt = ShadowRoot.prototype.elementFromPoint;
const clientRectsOf = Element.prototype.getClientRects;

/** @param {number} x @param {number} y a point of the top viewport @returns {Element | null} the innermost element there */
function topmostAt(x, y) {
  let frame = topFrame();
  for (let depth = 0; depth < 20; depth++) {
    const el = innermostIn(frame.doc, (x - frame.x) / frame.scaleX, (y - frame.y) / frame.scaleY);
    const tag = el ? tagOf(el) : '';
    const doc = tag === 'iframe' || tag === 'frame' ? documentIn(el) : null;
    if (!doc) return el;
    frame = frameOf(el, doc, frame);
  }
  return null;
}

/** @param {any} doc @param {number} x @param {number} y @returns {Element | null} through open shadow roots */
function innermostIn(doc, x, y) {
  let el = elementAt.call(doc, x, y);
  for (let depth = 0; el && depth < 100; depth++) {
    const shadow = shadowRootOf(el);
    const inner = shadow ? shadowElementAt.call(shadow, x, y) : null;
    if (!inner || inner === el || rootOf(inner) !== shadow) return el;
    el = inner;
  }
  return el;
}

const INTERACTIVE = 'a[href],button,input,select,textarea,label,summary,[role=button],[role=link],[role=checkbox],[role=radio],'
  + '[role=switch],[role=tab],[role=option],[role=menuitem],[role=menuitemcheckbox],[role=menuitemradio],[role=treeitem],[role=textbox],[contenteditable]';

/**
 * Would an event whose innermost target is `hit` act on `el` and on no other control?
 * @param {any} el @param {any} hit
 * @returns {boolean}
 */
function actsOn(el, hit) {
  const labels = labelsOf(el);
  let node = hit;
  for (let steps = 0; node && steps < 20000; node = flatParent(node), steps++) {
    if (node === el || labels.includes(node)) return true;
    // Another control inside this one would take the press for itself.
    if (matches(node, INTERACTIVE) && !isPassive(node, el)) return false;
  }
  return false;
}

/** A label without a control, or one inside a plain button, takes nothing. @param {any} node @param {any} el */
function isPassive(node, el) {
  if (tagOf(node) === 'label') return labelControl(node) === null || labelControl(node) === el;
  return isHtml(node) && hasAttr(node, 'contenteditable') && attr(node, 'contenteditable').toLowerCase() === 'false';
}

const labelControl = getterOf(HTMLLabelElement.prototype, 'control');

/** @param {any} shownBy @param {Frame} frame @returns {Box[]} boxes of its lines in the top viewport, largest first, at most 4 */
function lineBoxes(shownBy, frame) {
  if (tagOf(shownBy) === 'area' || styleOf(shownBy).display === 'contents') return [toTop(boxOf(shownBy), frame)];
  const boxes = Array.from(clientRectsOf.call(shownBy)).slice(0, 50)
    .filter((rect) => rect.width >= 1 && rect.height >= 1)
    .map((rect) => toTop({ x: rect.x, y: rect.y, width: rect.width, height: rect.height }, frame));
  boxes.sort((a, b) => b.width * b.height - a.width * a.height);
  return boxes.length ? boxes.slice(0, 4) : [toTop(boxOf(shownBy), frame)];
}

const SPOTS = [[0.5, 0.5], [0.25, 0.5], [0.75, 0.5], [0.5, 0.25], [0.5, 0.75], [0.25, 0.25], [0.75, 0.25], [0.25, 0.75], [0.75, 0.75]];

/** @param {Box} box @returns {Array<[number, number]>} points to try, the centre first, near the corners last */
function pointsOf(box) {
  const points = SPOTS.map(([fx, fy]) => [box.x + box.width * fx, box.y + box.height * fy]);
  const inset = Math.min(3, box.width / 4, box.height / 4);
  for (const x of [box.x + inset, box.x + box.width - inset]) {
    for (const y of [box.y + inset, box.y + box.height - inset]) points.push([x, y]);
  }
  return /** @type {Array<[number, number]>} */ (points);
}

// What covers a frame is known to the document around it alone, which is given some points to choose from.
const POINTS_IN_FRAME_MAX = 6;

/**
 * @param {any} el @param {any} shownBy @param {Frame} frame
 * @returns {{points: Array<{x: number, y: number}>, cover: any}} points that act on it, with cover null: one, or some in a frame of
 *   another origin; else what lay over its first visible point
 */
function pressPoint(el, shownBy, frame) {
  const area = shownArea();
  const wanted = place ? POINTS_IN_FRAME_MAX : 1;
  const points = [];
  let cover = null;
  for (const box of lineBoxes(shownBy, frame)) {
    for (const [x, y] of pointsOf(box)) {
      if (x < area.left || y < area.top || x >= area.right || y >= area.bottom) continue;
      const hit = topmostAt(x, y);
      if (!hit) continue;
      if (actsOn(el, hit)) points.push({ x, y });
      else cover ||= hit;
      if (points.length >= wanted) return { points, cover: null };
    }
  }
  return points.length ? { points, cover: null } : { points, cover: cover || documentElementOf(document) };
}

/** @param {Candidate} candidate @returns {{covered: string | null, points: Array<{x: number, y: number}>}} what covers it, and where it can be pressed */
function aimOf(candidate) {
  if (!candidate.inViewport) return { covered: null, points: [] };
  const { points, cover } = pressPoint(candidate.el, candidate.shownBy, candidate.frame);
  return { covered: cover ? sayElement(cover) : null, points };
}

/**
 * Where a frame that this document holds stands now, and what lies over it at some points of the top viewport.
 * @param {number} key of the frame's element @param {Place | null} told where this document stands @param {Array<{x: number, y: number}>} points
 * @returns {any} {ok: true, place, covers: what lies over each point, null if nothing} or {ok: false, why, detail}
 */
function framePlace(key, told, points) {
  standAt(told);
  return inPass(() => {
    const el = elementFor(key);
    const frame = el ? frameHolding(el) : null;
    if (!el || !frame) return refused('gone', 'frame');
    if (drawnBy(el) !== el) return refused('hidden', 'frame');
    const covers = points.map(({ x, y }) => {
      const hit = topmostAt(x, y);
      return hit === el ? null : hit ? sayElement(hit) : 'nothing';
    });
    return { ok: true, place: placeOf(el, frame, shownArea()), covers };
  });
}

/** @param {any} el @returns {string} role and name, or tag, in at most 80 characters */
function sayElement(el) {
  let named = el;
  for (let steps = 0; named && steps < 6; named = flatParent(named), steps++) {
    const role = roleForListing(named);
    const name = role && role !== 'document' ? tidy(nameOf(named)) : '';
    if (name) return cut(role + ' "' + cut(name, 50) + '"', 80);
  }
  const id = attr(el, 'id') || attr(el, 'class').trim().split(/\s+/)[0] || '';
  return cut(localNameOf(el) + (id ? ' (' + tidy(id) + ')' : ''), 80);
}
