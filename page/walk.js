// One walk over everything that is shown: text, headings, dialogs and the elements that may be controls.
// It goes down with its own stack, since a page may nest deeper than the engine's, and reads each element once.

const NODES_MAX = 200000;
// A walk on a slow machine ends here, with what it has; the look around it has 5 s.
const WALK_MS = 2500;
const NODES_BETWEEN_LOOKS_AT_CLOCK = 4096;
const FRAMES_MAX = 50;
// Nothing that a person would press fits into less.
const FRAME_WIDTH_MIN = 16;
const FRAME_HEIGHT_MIN = 10;

/**
 * @typedef {object} Level
 * @property {any} el
 * @property {any} style
 * @property {any} next @property {any[] | null} list @property {number} at
 * @property {Level | null} outer
 * @property {number | undefined} opacity its own and its ancestors', once asked for
 * @property {boolean} mute aria-hidden or inert: seen, but not operable
 * @property {Clip | undefined} clip for what it holds, once asked for
 * @property {string | undefined} cursor once asked for
 * @property {string} tag @property {string} display
 * @property {Candidate | null} owner
 * @property {Frame} frame
 * @property {boolean} block
 * @property {boolean} editing
 * @property {boolean | undefined} texts
 * @property {Box | null} box in the top viewport, once asked for
 */

/**
 * @typedef {object} Seen
 * @property {Candidate[]} candidates @property {any[]} headings @property {any[]} dialogs
 * @property {Array<{label: any, control: any, level: Level, at: number}>} labels
 * @property {Array<Place & {key: number, tiny: boolean, sponsored: boolean}>} unreadableFrames
 * @property {string[]} pieces @property {number} chars @property {number} charsMax @property {string} gap
 * @property {number} nodes @property {boolean} truncated @property {boolean} busy @property {number} frames @property {number} failed elements that could not be read
 * @property {any[]} scrollers boxes that scroll what they hold
 * @property {WeakSet<any>} clickable
 */

/** @param {number} charsMax @param {WeakSet<any>} clickable @returns {Seen} */
function walkPage(charsMax, clickable) {
  /** @type {Seen} */
  const seen = {
    candidates: [], headings: [], dialogs: [], labels: [], unreadableFrames: [], pieces: [], chars: 0, charsMax, gap: '',
    nodes: 0, truncated: false, busy: false, frames: 1, failed: 0, scrollers: [], clickable,
  };
  const frame = topFrame();
  const root = documentElementOf(document);
  if (!root) return seen;
  /** @type {Level[]} */
  const stack = [];
  const first = enter(root, rootLevel(frame, viewportClip()), seen);
  if (first) stack.push(first);
  const until = performance.now() + WALK_MS;
  while (stack.length) step(stack, seen, until);
  return seen;
}

/** @param {Frame} frame @param {Clip} clip @returns {Level} */
function rootLevel(frame, clip) {
  const modal = modalOf(frame.doc);
  return {
    el: null, style: null, next: null, list: null, at: 0, outer: null, opacity: 1, mute: modal !== null, clip, cursor: 'auto', tag: '', display: '',
    owner: null, frame, block: true, editing: false, texts: undefined, box: null,
  };
}

// Computed styles are most of a walk's time, so what only a control, a text or a heading asks for is read when one does. A page
// may nest deeper than the engine's stack, so the way up is a loop.

/** @param {Level} level @returns {number} product of its own and its ancestors' opacities */
function opacityAt(level) {
  if (level.opacity !== undefined) return level.opacity;
  const chain = [];
  let at = level;
  for (; at.opacity === undefined; at = /** @type {Level} */ (at.outer)) chain.push(at);
  let opacity = /** @type {number} */ (at.opacity);
  for (let i = chain.length - 1; i >= 0; i--) chain[i].opacity = opacity *= Number(chain[i].style.opacity);
  return opacity;
}

/** @param {Level} level @returns {boolean} painted away by opacity */
function isFaint(level) {
  return opacityAt(level) < OPACITY_SHOWN_MIN;
}

/** @param {Level} level @returns {Clip} for what it holds */
function clipAt(level) {
  if (level.clip !== undefined) return level.clip;
  const chain = [];
  let at = level;
  for (; at.clip === undefined; at = /** @type {Level} */ (at.outer)) chain.push(at);
  let clip = at.clip;
  for (let i = chain.length - 1; i >= 0; i--) chain[i].clip = clip = clipFor(chain[i], clip);
  return clip;
}

/** @param {Level} level @returns {string} */
function cursorAt(level) {
  if (level.cursor === undefined) level.cursor = level.style.cursor;
  return /** @type {string} */ (level.cursor);
}

/** @param {Level[]} stack @param {Seen} seen @param {number} until by the page's clock */
function step(stack, seen, until) {
  const level = stack[stack.length - 1];
  const node = level.list ? level.list[level.at++] : level.next;
  if (!node) {
    if (level.block) seen.gap = '\n';
    stack.pop();
    return;
  }
  if (!level.list) level.next = nextSiblingOf(node);
  const type = nodeTypeOf(node);
  if (type === TEXT) {
    if (seen.chars < seen.charsMax || (level.owner !== null && level.owner.weighed)) emitText(node, level, seen);
  } else if (type === ELEMENT) {
    const late = ++seen.nodes % NODES_BETWEEN_LOOKS_AT_CLOCK === 0 && performance.now() > until;
    if (late || seen.nodes > NODES_MAX) {
      seen.truncated = true;
      stack.length = 0;
      return;
    }
    const inner = enterSafely(node, level, seen);
    if (inner) stack.push(inner);
  }
}

/** @param {any} node text @param {Level} level @param {Seen} seen */
function emitText(node, level, seen) {
  const data = dataOf(node);
  if (!/\S/.test(data)) {
    if (!seen.gap) seen.gap = ' ';
    return;
  }
  const { owner } = level;
  if (seen.chars >= seen.charsMax && owner && owner.ownText > 0) {
    // Only how much text it has is still asked for.
    owner.ownText += data.length;
    return;
  }
  if (level.texts === undefined) level.texts = textShows(level);
  if (!level.texts) return;
  if (owner) owner.ownText += data.length;
  if (seen.chars >= seen.charsMax) return;
  const text = data.slice(0, seen.charsMax).replace(/\s+/g, ' ');
  const lead = seen.gap || (text.startsWith(' ') ? ' ' : '');
  const piece = (seen.pieces.length ? lead : '') + text.trim();
  seen.pieces.push(piece);
  seen.chars += piece.length;
  seen.gap = text.endsWith(' ') ? ' ' : '';
}

/** @param {Level} level @returns {boolean} */
function textShows(level) {
  if (isFaint(level)) return false;
  pass.styles.set(level.el, level.style);
  if (!ownTextIsSeen(level.el) || !hasBox(level.el)) return false;
  const box = boxOfLevel(level);
  const shown = box.width > 0 && box.height > 0 ? box : toTop(contentBox(level.el), level.frame);
  return isReachable(shown, clipAt(level), level.frame, 0.5);
}

/** One odd element must not hide all others. @param {any} el @param {Level} outer @param {Seen} seen @returns {Level | null} */
function enterSafely(el, outer, seen) {
  try {
    return enter(el, outer, seen);
  } catch {
    seen.failed++;
    return null;
  }
}

/** @param {any} el @param {Level} outer @param {Seen} seen @returns {Level | null} null: nothing inside is to be read */
function enter(el, outer, seen) {
  const tag = tagOf(el);
  if (WALK_PAST.has(tag)) return null;
  if (tag === 'br') {
    seen.gap = '\n';
    return null;
  }
  const style = getComputedStyle(el);
  const display = style.display;
  // An area is never displayed itself; its picture is.
  if (display === 'none' && tag !== 'area') return null;
  const flags = attributeFlags(el);
  const level = levelFor(el, tag, style, display, outer, flags);
  if (!level.mute && canClip(level) && SCROLLING.has(style.overflowY) && clipAt(level) !== clipAt(outer) && clipAt(level).scrolls) seen.scrollers.push(el);
  if (level.block) seen.gap = '\n';
  else if (display.startsWith('inline-') || display === 'table-cell') seen.gap ||= ' ';
  if (tag === 'iframe' || tag === 'frame') return enterFrame(el, level, seen);
  const shadow = shadowRootOf(el);
  if (shadow) watchTree(shadow);
  note(el, tag, flags, level, outer, seen);
  if (tag === 'select' || tag === 'textarea' || UNSEEN_TAGS.has(tag)) return null;
  if (tag === 'details' && !hasAttr(el, 'open')) {
    level.list = flatChildren(el).filter((child) => isElement(child) && tagOf(child) === 'summary').slice(0, 1);
    return level;
  }
  if (shadow || tag === 'slot') level.list = specialChildren(el);
  if (!level.list) level.next = firstChildOf(el);
  return level.next || level.list ? level : null;
}

const WALK_PAST = new Set(['head', 'script', 'style', 'template', 'noscript', 'link', 'meta', 'title', 'svg:title', 'svg:desc', 'svg:defs', 'svg:style', 'svg:script']);
const SCROLLING = new Set(['auto', 'scroll']);
const INLINE = new Set(['inline', 'contents', 'inline-block', 'inline-flex', 'inline-grid', 'inline-table', 'table-cell', 'ruby']);

/** @param {any} el @param {string} tag @param {CSSStyleDeclaration} style @param {string} display @param {Level} outer @param {number} flags @returns {Level} */
function levelFor(el, tag, style, display, outer, flags) {
  let mute = outer.mute;
  if (flags & HAS_INERT || (flags & HAS_ARIA_HIDDEN && attr(el, 'aria-hidden') === 'true')) mute = true;
  // A modal dialog is the one thing that its own inert page leaves operable.
  if (tag === 'dialog' && matches(el, ':modal')) mute = hasAttr(el, 'inert');
  return {
    el, style, next: null, list: null, at: 0, outer, opacity: undefined, mute, clip: undefined, cursor: undefined, tag, display,
    owner: outer.owner, frame: outer.frame, block: !INLINE.has(display) && !tag.startsWith('svg:'), editing: outer.editing, texts: undefined, box: null,
  };
}

/** @param {any} el @param {Level} level @param {Seen} seen @returns {Level | null} */
function enterFrame(el, level, seen) {
  const box = boxOfLevel(level);
  const style = styleOf(el);
  if (isFaint(level) || level.mute || style.visibility !== 'visible') return null;
  if (!isReachable(box, clipAt(level), level.frame, SIZE_SHOWN_MIN)) return null;
  const doc = documentIn(el);
  const root = doc ? documentElementOf(doc) : null;
  if (!doc || !root || ++seen.frames > FRAMES_MAX) {
    if (seen.unreadableFrames.length < FRAMES_MAX) seen.unreadableFrames.push(heldFrame(el, level));
    return null;
  }
  const frame = frameOf(el, doc, level.frame);
  const edge = innerClip(boxOfLevel(level), clipAt(level), { gone: false, scrolls: true, holds: true });
  watchTree(doc);
  return enter(root, { ...rootLevel(frame, { ...edge, outer: null, depth: 0 }), opacity: opacityAt(level) }, seen);
}

/** What another look, in the frame's own document, needs of a frame that cannot be read from here. @param {any} el @param {Level} level @returns {any} */
function heldFrame(el, level) {
  const box = boxOfLevel(level);
  return {
    key: keyFor(el), ...placeOf(el, level.frame, clipAt(level)), tiny: box.width < FRAME_WIDTH_MIN || box.height < FRAME_HEIGHT_MIN,
    sponsored: isSponsored(el),
  };
}

/** @param {any} el frame element @param {Frame} frame that holds it @param {{left: number, top: number, right: number, bottom: number}} area that shows @returns {Place} */
function placeOf(el, frame, area) {
  const { x, y, scaleX, scaleY, width, height } = innerViewport(el, frame);
  return {
    x, y, scaleX, scaleY, left: Math.max(area.left, x), top: Math.max(area.top, y), right: Math.min(area.right, x + width),
    bottom: Math.min(area.bottom, y + height),
  };
}

/** @param {any} el @param {string} tag @param {number} flags @param {Level} level @param {Level} outer @param {Seen} seen */
function note(el, tag, flags, level, outer, seen) {
  noteLandmarks(el, tag, flags, level, seen);
  if (level.mute) return;
  if (tag === 'label') noteLabel(el, level, seen);
  const candidate = candidateFor(el, tag, flags, level, outer, seen);
  if (!candidate) return;
  // A widget is there for its keys; what is in it stands for itself.
  if (candidate.kind !== 'widget') own(candidate, level);
  seen.candidates.push(candidate);
}

/** @param {Candidate} candidate @param {Level} level from here down, text belongs to it */
function own(candidate, level) {
  if (level.owner) {
    level.owner.inner++;
    level.owner.lastInner = candidate;
  }
  level.owner = candidate;
}

/** @param {any} el @param {string} tag @param {number} flags @param {Level} level @param {Seen} seen */
function noteLandmarks(el, tag, flags, level, seen) {
  const role = flags & HAS_ROLE ? attr(el, 'role') : '';
  const heading = role === 'heading' || (tag.length === 2 && tag[0] === 'h' && tag > 'h0' && tag < 'h7');
  const dialog = tag === 'dialog' || role === 'dialog' || role === 'alertdialog';
  const busy = tag === 'progress' || role === 'progressbar' || (flags & HAS_BUSY && attr(el, 'aria-busy') === 'true');
  if (!(heading || dialog || busy) || isFaint(level)) return;
  if (heading && seen.headings.length < HEADINGS_TRIED_MAX) seen.headings.push(el);
  if (dialog && level.style.visibility === 'visible' && !clipAt(level).empty) seen.dialogs.push(el);
  if (!busy || seen.busy) return;
  seen.busy = level.style.visibility === 'visible' && isReachable(boxOfLevel(level), clipAt(level), level.frame, SIZE_SHOWN_MIN);
}

/** @param {any} el @param {Level} level @param {Seen} seen */
function noteLabel(el, level, seen) {
  const control = labelControl(el);
  if (!control) return;
  // The words of a label belong to its control, not to a clickable box around both.
  if (level.owner && level.owner.weak) own({ ...level.owner, ownText: 0, inner: 0, lastInner: null }, level);
  if (!isCheckable(control) || isFaint(level) || level.style.visibility !== 'visible') return;
  seen.labels.push({ label: el, control, level, at: seen.candidates.length });
}

/** @param {any} el @param {string} tag @param {number} flags @param {Level} level @param {Level} outer @param {Seen} seen @returns {Candidate | null} */
function candidateFor(el, tag, flags, level, outer, seen) {
  let kind = kindOf(el, tag, flags);
  const weak = !kind;
  if (level.editing && kind === 'field') return null;
  if (flags & HAS_EDITABLE && isEditingHost(el)) level.editing = true;
  const composite = weak && flags & HAS_ROLE && COMPOSITES.has(explicitRole(el)) && isFocused(el);
  if (composite) {
    kind = 'widget';
  } else if (weak) {
    if (level.owner && !level.owner.weak) return null;
    const pointed = cursorAt(outer) !== 'pointer' && cursorAt(level) === 'pointer';
    if (!pointed && !seen.clickable.has(el) && !isPressable(el, flags)) return null;
    if (tag === 'html' || tag === 'body' || tag === 'input' || (tag === 'label' && labelControl(el))) return null;
    if (flags & HAS_ROLE && NEVER_PRESSED.has(attr(el, 'role'))) return null;
    kind = 'generic';
  }
  if (level.style.visibility !== 'visible' || (isFaint(level) && (isFaint(outer) || !isPaintedAround(el)))) return null;
  const box = boxOfLevel(level);
  const clip = clipAt(level);
  if (!isReachable(box, clip, level.frame, SIZE_SHOWN_MIN)) return null;
  return {
    el, kind, shownBy: el, frame: level.frame, box, inViewport: isInView(box, clip), ownText: 0, inner: 0, lastInner: null, weak: weak && !composite,
    weighed: weak || !NATIVE_CONTROLS.has(tag), stateOf: null,
  };
}

const NATIVE_CONTROLS = new Set(['a', 'area', 'button', 'input', 'select', 'textarea', 'summary']);
const NEVER_PRESSED = new Set((
  'dialog alertdialog document application main navigation banner contentinfo complementary region form search tablist tabpanel '
  + 'listbox list menu menubar tree treegrid grid table rowgroup radiogroup toolbar group feed log status alert'
).split(' '));
