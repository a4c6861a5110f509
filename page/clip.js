// What can be brought into view: overflow, clips and the edges of the page, in the top viewport's pixels.

const CLIPS_DEEP_MAX = 64;
const SIZE_SHOWN_MIN = 2;

/**
 * What an ancestor's overflow leaves of its contents, in the top viewport.
 * @typedef {object} Clip
 * @property {number} left @property {number} top @property {number} right @property {number} bottom what shows now
 * @property {boolean} empty nothing can ever show
 * @property {boolean} scrolls contents outside it can be scrolled into it
 * @property {boolean} holds contains absolutely positioned descendants
 * @property {Clip | null} outer
 * @property {number} depth
 * @property {Box} [box] where its contents can show at most
 */

/** @returns {Clip} */
function viewportClip() {
  const { left, top, right, bottom } = shownArea();
  return { left, top, right, bottom, empty: false, scrolls: true, holds: true, outer: null, depth: 0 };
}

/** @param {Level} level @returns {Box} its box in the top viewport */
function boxOfLevel(level) {
  return level.box || (level.box = toTop(boxOf(level.el), level.frame));
}

/** An absolute or fixed box is never inline, and an inline one clips nothing. @param {Level} level @returns {boolean} */
function canClip({ display, tag }) {
  return display !== 'inline' && display !== 'contents' && tag !== 'html' && tag !== 'body';
}

/** @param {Level} level @param {Clip} clip its parent's @returns {Clip} the clip for what it holds */
function clipFor(level, clip) {
  const { style } = level;
  if (!canClip(level)) return clip;
  const position = style.position;
  if (position === 'fixed') clip = fixedClip(clip);
  else if (position === 'absolute') while (!clip.holds && clip.outer) clip = clip.outer;
  const overflowX = style.overflowX;
  const path = style.clipPath;
  const gone = (path !== 'none' && clipsAll(path)) || (position === 'absolute' && clipRectIsEmpty(style.clip));
  if (!gone && overflowX === 'visible' && style.overflowY === 'visible') return clip;
  if (clip.depth > CLIPS_DEEP_MAX) return clip;
  return innerClip(boxOfLevel(level), clip, {
    gone, scrolls: overflowX === 'auto' || overflowX === 'scroll' || style.overflowY === 'auto' || style.overflowY === 'scroll',
    holds: position !== 'static' || style.transform !== 'none',
  });
}

/** @param {Clip} clip @returns {Clip} the viewport of the frame, which does not scroll under fixed boxes */
function fixedClip(clip) {
  while (clip.outer) clip = clip.outer;
  return { ...clip, scrolls: false };
}

/** @param {Box} box of the clipping element @param {Clip} clip @param {{gone: boolean, scrolls: boolean, holds: boolean}} how @returns {Clip} */
function innerClip(box, clip, how) {
  const slight = !how.scrolls && (box.width < SIZE_SHOWN_MIN || box.height < SIZE_SHOWN_MIN);
  return {
    left: Math.max(clip.left, box.x), top: Math.max(clip.top, box.y),
    right: Math.min(clip.right, box.x + box.width), bottom: Math.min(clip.bottom, box.y + box.height),
    empty: clip.empty || how.gone || slight || !reaches(box, clip), scrolls: how.scrolls, holds: how.holds, outer: clip,
    depth: clip.depth + 1, box: clip.box && !clip.scrolls ? intersection(box, clip.box) : box,
  };
}

/** @param {Box} a @param {Box} b @returns {Box} */
function intersection(a, b) {
  const x = Math.max(a.x, b.x);
  const y = Math.max(a.y, b.y);
  return { x, y, width: Math.max(0, Math.min(a.x + a.width, b.x + b.width) - x), height: Math.max(0, Math.min(a.y + a.height, b.y + b.height) - y) };
}

/** @param {Box} box @param {Clip} clip @returns {boolean} some part shows, now or after scrolling an ancestor */
function reaches(box, clip) {
  if (clip.empty) return false;
  if (clip.scrolls) return true;
  const area = clip.box || { x: clip.left, y: clip.top, width: clip.right - clip.left, height: clip.bottom - clip.top };
  return box.x < area.x + area.width && box.x + box.width > area.x && box.y < area.y + area.height && box.y + box.height > area.y;
}

/** @param {Box} box in the top viewport @param {Clip} clip @param {Frame} frame @param {number} sizeMin @returns {boolean} */
function isReachable(box, clip, frame, sizeMin) {
  if (box.width < sizeMin || box.height < sizeMin || !reaches(box, clip)) return false;
  const left = (box.x - frame.x) / frame.scaleX + frame.scrollX;
  const top = (box.y - frame.y) / frame.scaleY + frame.scrollY;
  const extent = frame.extent || (frame.extent = extentOf(frame));
  if (left + box.width / frame.scaleX <= extent.left || top + box.height / frame.scaleY <= 0) return false;
  return !(extent.locked && left >= extent.width);
}

const scrollWidthOf = getterOf(Element.prototype, 'scrollWidth');
const clientWidthOf = getterOf(Element.prototype, 'clientWidth');

/** @param {Frame} frame @returns {{left: number, width: number, locked: boolean}} how far its page goes sideways */
function extentOf(frame) {
  const root = documentElementOf(frame.doc);
  const body = bodyOf(frame.doc);
  const hides = (/** @type {any} */ el) => el && isElement(el) && ['hidden', 'clip'].includes(styleOf(el).overflowX);
  const rtl = styleOf(root).direction === 'rtl';
  const width = clientWidthOf(root);
  return { left: rtl ? Math.min(0, width - scrollWidthOf(root)) : 0, width, locked: hides(root) || hides(body) };
}

/** @param {Box} box @param {Clip} clip @returns {boolean} at least a pixel of it shows now */
function isInView(box, clip) {
  const width = Math.min(box.x + box.width, clip.right) - Math.max(box.x, clip.left);
  const height = Math.min(box.y + box.height, clip.bottom) - Math.max(box.y, clip.top);
  return width >= 1 && height >= 1;
}
