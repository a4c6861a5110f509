// Scrolling: the page itself, and when it can't, the largest box in it that can.

const SCROLLERS_MAX = 50;
const SCROLLED_SHARE = 0.8;
const scrollingElementOf = getterOf(Document.prototype, 'scrollingElement');
const scrollTop = getterOf(Element.prototype, 'scrollTop');
const scrollHeight = getterOf(Element.prototype, 'scrollHeight');
const clientHeight = getterOf(Element.prototype, 'clientHeight');
const scrollByOf = Element.prototype.scrollBy;

/** Boxes with contents of their own to scroll, as the last look met them. @type {Array<WeakRef<any>>} */
let scrollers = [];

/** @param {any} box @param {boolean} down @returns {boolean} */
function hasRoom(box, down) {
  const height = box === scrollingElementOf(document) ? window.innerHeight : clientHeight(box);
  return height > 0 && (down ? scrollTop(box) + height < scrollHeight(box) - 1 : scrollTop(box) > 0);
}

/** @param {boolean} down @returns {any} what a person would scroll in this direction, null if nothing */
function scrollerFor(down) {
  const root = scrollingElementOf(document);
  if (root && hasRoom(root, down)) return root;
  let best = null;
  let most = 0;
  for (const ref of scrollers) {
    const box = ref.deref();
    const frame = box && isConnected(box) ? frameHolding(box) : null;
    if (!frame || !hasRoom(box, down)) continue;
    const shown = intersection(toTop(boxOf(box), frame), { x: 0, y: 0, width: window.innerWidth, height: window.innerHeight });
    if (shown.width * shown.height > most) {
      most = shown.width * shown.height;
      best = box;
    }
  }
  return best;
}

/** @param {any[]} met by the walk @returns {{canScrollUp: boolean, canScrollDown: boolean}} */
function scrollState(met) {
  scrollers = met.slice(0, SCROLLERS_MAX).map((el) => new WeakRef(el));
  return { canScrollUp: scrollerFor(false) !== null, canScrollDown: scrollerFor(true) !== null };
}

/** @param {boolean} down @returns {number} CSS pixels that it came */
function scroll(down) {
  return inPass(() => {
    const box = scrollerFor(down);
    if (!box) return 0;
    const before = scrollTop(box);
    const height = box === scrollingElementOf(document) ? window.innerHeight : clientHeight(box);
    scrollByOf.call(box, { top: (down ? SCROLLED_SHARE : -SCROLLED_SHARE) * height, behavior: 'instant' });
    return scrollTop(box) - before;
  });
}
