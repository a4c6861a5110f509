// The latch. While armed, capturing listeners see the very events the input makes, compare the bound meaning again, and
// cancel everything from the first mismatch on.
// Invariant: an event is let through only when its target acts on the bound element and the meaning is the bound one.

const POINTER_EVENTS = ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click', 'dblclick', 'auxclick', 'contextmenu'];
const KEY_EVENTS = ['keydown', 'keypress', 'keyup', 'beforeinput'];
// These set something off at the target, so they are checked in full at every station on the way down.
const DECISIVE = new Set(['pointerdown', 'click', 'keydown', 'beforeinput']);
const BEGINS = new Set(['pointerdown', 'mousedown', 'keydown']);
const composedPathOf = Event.prototype.composedPath;
const preventDefault = Event.prototype.preventDefault;
const stopImmediately = Event.prototype.stopImmediatePropagation;
const listen = EventTarget.prototype.addEventListener;
const unlisten = EventTarget.prototype.removeEventListener;
const scrollIntoViewOf = Element.prototype.scrollIntoView;

/**
 * @typedef {object} Armed
 * @property {any} el @property {Meaning} bound @property {'press' | 'type' | 'choose' | 'enter' | 'key'} mode
 * @property {Array<{type: string, ok: boolean}>} events
 * @property {WeakMap<any, {type: string, ok: boolean}>} records
 * @property {{type: string, why: string, detail: string} | null} cancelled
 * @property {any[]} targets where the listeners are
 * @property {number} checkedAt count of mutations when the meaning was last compared
 */

/** @type {Armed | null} */
let armed = null;

/**
 * @param {number} key @param {Meaning} bound @param {'press' | 'type' | 'choose' | 'enter' | 'key'} mode @param {Place | null} [told]
 * @returns {any} {ok: true, points} or {ok: false, why, detail}
 */
function arm(key, bound, mode, told) {
  disarm();
  standAt(told);
  return inPass(() => {
    const el = elementFor(key);
    if (!el) return refused('gone', '');
    const drawn = drawnBy(el);
    if (!drawn) return refused('hidden', sayElement(el));
    if (isDisabled(el)) return refused('disabled', '');
    const part = difference(meaningOf(el), bound);
    if (part) return refused('stale', part);
    return takeAim(el, drawn, bound, mode);
  });
}

/** @param {string} why @param {string} detail @returns {{ok: false, why: string, detail: string}} */
function refused(why, detail) {
  return { ok: false, why, detail };
}

/** @param {any} el @param {any} drawn @param {Meaning} bound @param {any} mode @returns {any} */
function takeAim(el, drawn, bound, mode) {
  let frame = frameHolding(el);
  if (!frame) return refused('gone', 'frame');
  // A key needs no point of its own, and a list is covered by what is in it; in a frame of another origin a point says where it stands.
  const keyed = mode === 'key' && !place;
  let point = keyed ? { points: [], cover: null } : pressPoint(el, drawn, frame);
  if (point.cover) {
    // Out of the viewport, or under something fixed at its edge: the middle of the viewport is the best place to look.
    scrollIntoViewOf.call(drawn, { block: 'center', inline: 'nearest', behavior: 'instant' });
    frame = frameHolding(el);
    if (!frame) return refused('gone', 'frame');
    point = pressPoint(el, drawn, frame);
  }
  if (point.cover) return refused('covered', sayElement(point.cover));
  armed = { el, bound, mode, events: [], records: new WeakMap(), cancelled: null, targets: listenTargets(el), checkedAt: -1 };
  for (const target of armed.targets) for (const type of watchedTypes(mode)) listen.call(target, type, onInput, true);
  return { ok: true, points: point.points };
}

/** @param {string} mode @returns {string[]} */
function watchedTypes(mode) {
  return mode === 'type' || mode === 'enter' || mode === 'key' ? [...POINTER_EVENTS, ...KEY_EVENTS] : POINTER_EVENTS;
}

/** @param {any} el @returns {any} the element that shows it and can be pressed: itself or a visible label; null if neither */
function drawnBy(el) {
  if (isAriaHidden(el) || isInert(el)) return isCheckable(el) ? labelsOf(el).find(isSeen) || null : null;
  if (isSeen(el)) return el;
  return isCheckable(el) ? labelsOf(el).find((label) => isSeen(label) && !isInert(label)) || null : null;
}

/** @param {any} el @returns {boolean} */
function isSeen(el) {
  if (tagOf(el) === 'area') return areaBox(el) !== null;
  if (!isRendered(el)) return false;
  if (opacityOf(el) === 0 && !(isPaintedAround(el) && opacityOf(flatParent(el)) > 0)) return false;
  const box = boxOf(el);
  return box.width >= SIZE_SHOWN_MIN && box.height >= SIZE_SHOWN_MIN && !isClippedAway(el, styleOf(el));
}

/** @param {any} el @returns {any[]} windows of all readable frames, then its document, the shadow roots around it, and itself */
function listenTargets(el) {
  const views = new Set([...readableViews(), defaultViewOf(ownerDocumentOf(el))]);
  const roots = [];
  // What a closed root holds is told apart only from inside it.
  for (let root = rootOf(el); nodeTypeOf(root) === FRAGMENT && roots.length < 100; root = rootOf(shadowHost(root))) roots.unshift(root);
  // A page's own window listener may have been added later than ours, so the way down is watched twice more.
  return [...views, ownerDocumentOf(el), ...roots, el];
}

/** @returns {any[]} windows of this document and of all frames in it that can be read */
function readableViews() {
  const docs = [document];
  for (let i = 0; i < docs.length && docs.length < FRAMES_MAX; i++) {
    for (const holder of Array.from(queryAll(docs[i], 'iframe,frame')).slice(0, FRAMES_MAX)) {
      const inner = documentIn(holder);
      if (inner && !docs.includes(inner)) docs.push(inner);
    }
  }
  return docs.map((doc) => defaultViewOf(doc)).filter((view) => view);
}

let shielded = false;
const ALL_EVENTS = [...POINTER_EVENTS, ...KEY_EVENTS];

/** While another document is acted on, no input is meant for this one: what arrives here all the same is stopped. @param {boolean} on */
function shield(on) {
  shielded = on;
  if (on) for (const view of readableViews()) for (const type of ALL_EVENTS) listen.call(view, type, onInput, true);
  return true;
}

// A frame of another origin is listened to from its beginning, so that its own listeners cannot stand before ours.
if (!isWholePage) for (const type of ALL_EVENTS) listen.call(window, type, onInput, true);

/** @param {Meaning} now @param {Meaning} bound @returns {string} the first part that differs, "" if none */
function difference(now, bound) {
  for (const part of MEANING_PARTS) if (/** @type {any} */ (now)[part] !== /** @type {any} */ (bound)[part]) return part;
  return '';
}

/** @param {Event} event */
function onInput(event) {
  if (!event.isTrusted) return;
  if (!armed) {
    if (shielded) stop(event);
    return;
  }
  let record = armed.records.get(event);
  if (record && record.ok && !DECISIVE.has(event.type) && mutationCount() === armed.checkedAt) return;
  if (!record) {
    record = { type: event.type, ok: true };
    armed.records.set(event, record);
    if (armed.events.length < 1000) armed.events.push(record);
  }
  armed.checkedAt = mutationCount();
  const problem = armed.cancelled || problemSafely(event);
  if (!problem) return;
  record.ok = false;
  stop(event);
  if (!armed.cancelled && !isAfterthought(event, problem)) armed.cancelled = { type: event.type, ...problem };
}

/** @param {Event} event */
function stop(event) {
  preventDefault.call(event);
  stopImmediately.call(event);
}

/** A check that cannot be made has failed. @param {Event} event @returns {{why: string, detail: string} | null} */
function problemSafely(event) {
  try {
    return inPass(() => problemWith(event));
  } catch {
    return { why: 'stale', detail: 'unreadable' };
  }
}

/** @param {Event} event @returns {{why: string, detail: string} | null} */
function problemWith(event) {
  const { el, bound, mode } = /** @type {Armed} */ (armed);
  if (!isConnected(el)) return { why: 'gone', detail: '' };
  const told = composedPathOf.call(event)[0];
  const onNode = isNode(told);
  const target = onNode && isElement(told) ? unveiled(told, event) : told;
  const keys = KEY_EVENTS.includes(event.type);
  if (mode === 'enter' && event.type === 'click' && onNode && isElement(target) && isDefaultButtonOf(target, el)) {
    const sent = submissionOf(target);
    if (!sent || sent.action !== bound.formAction) return { why: 'stale', detail: 'formAction' };
    return sent.method === bound.formMethod ? sameMeaning(el, bound) : { why: 'stale', detail: 'formMethod' };
  }
  if (keys && !(onNode && hasFocus(el))) return { why: 'focus', detail: onNode && isElement(target) ? sayElement(target) : '' };
  const hit = onNode ? (isElement(target) ? target : flatParent(target)) : null;
  if (!hit || !actsOn(el, hit)) return { why: keys ? 'focus' : 'covered', detail: hit ? sayElement(hit) : '' };
  return sameMeaning(el, bound, mode === 'type' && hasWritten(event));
}

/** @param {any} el @param {Meaning} bound @param {boolean} [typing] the row may follow what was typed already @returns {{why: string, detail: string} | null} */
function sameMeaning(el, bound, typing = false) {
  const now = meaningOf(el);
  const part = difference(typing ? { ...now, row: bound.row } : now, bound);
  return part ? { why: 'stale', detail: part } : null;
}

/**
 * An event is told of the host when its target is in a closed root. From inside the root it is told truly, and the latch
 * listens there too.
 * @param {any} host @param {any} event @returns {any} the element in it that the event is about
 */
function unveiled(host, event) {
  let el = host;
  for (let depth = 0; depth < 100; depth++) {
    const shadow = knowsClosed ? closedRoots.get(el) : null;
    if (!shadow) return el;
    const inner = innerTarget(shadow, el, event);
    if (!inner || inner === el || rootOf(inner) !== shadow) return el;
    el = inner;
  }
  return el;
}

/** @param {any} shadow @param {any} host @param {any} event @returns {any} */
function innerTarget(shadow, host, event) {
  const { el, mode } = /** @type {Armed} */ (armed);
  if (KEY_EVENTS.includes(event.type)) return activeInShadow(shadow);
  // Enter presses the form's button without a pointer.
  if (mode === 'enter') return rootOf(el) === shadow && formOf(el) ? defaultButton(formOf(el)) : null;
  const hit = shadowElementAt.call(shadow, event.clientX, event.clientY);
  return hit === host ? null : hit;
}

/** Nodes of other frames are no instances of this frame's Node. @param {any} target @returns {boolean} */
function isNode(target) {
  try {
    nodeTypeOf(target);
    return true;
  } catch {
    return false;
  }
}

/** @param {any} button @param {any} field @returns {boolean} Enter in the field presses this button */
function isDefaultButtonOf(button, field) {
  const form = formOf(field);
  return form !== null && isSubmitter(button) && formOf(button) === form && defaultButton(form) === button;
}

const activeInDocument = getterOf(Document.prototype, 'activeElement');
const activeInShadow = getterOf(ShadowRoot.prototype, 'activeElement');

/** @param {any} el @returns {boolean} it or something in it has the focus of its own tree */
function hasFocus(el) {
  const root = rootOf(el);
  const type = nodeTypeOf(root);
  const active = type === DOCUMENT ? activeInDocument(root) : type === FRAGMENT ? activeInShadow(root) : null;
  return active !== null && (active === el || contains(el, active));
}

/** Keys that end after their work was done (the field was left or removed) are stopped, but spoil nothing. @param {Event} event @param {{why: string}} problem */
function isAfterthought(event, problem) {
  const { mode } = /** @type {Armed} */ (armed);
  if (!hasLanded()) return false;
  // What a widget's key did may have renamed what has the focus.
  if (mode === 'key') return event.type === 'keyup';
  if (problem.why === 'stale') return false;
  if (event.type === 'keyup') return true;
  return mode === 'enter' && KEY_EVENTS.includes(event.type) && event.type !== 'keydown';
}

/** @param {Event} [besides] one that does not count @returns {boolean} an event of the mode's main type reached the element uncancelled */
function hasLanded(besides) {
  if (!armed) return false;
  const current = besides ? armed.records.get(besides) : undefined;
  const main = armed.mode === 'press' ? ['click'] : armed.mode === 'type' ? ['beforeinput', 'keydown'] : armed.mode === 'enter' || armed.mode === 'key' ? ['keydown'] : [];
  return armed.events.some((event) => event.ok && event !== current && main.includes(event.type));
}

/** @param {Event} event @returns {boolean} a letter went in before this event, or this is the end of its key: the row may follow it */
function hasWritten(event) {
  if (event.type === 'keyup') return hasLanded(event);
  const { events, records } = /** @type {Armed} */ (armed);
  const current = records.get(event);
  return events.some((other) => other.ok && other !== current && (other.type === 'beforeinput' || other.type === 'keyup'));
}

/** @returns {any} {armed, events, cancelled, landed, begun: the page was told of the input's beginning} */
function disarm() {
  if (!armed) return { armed: false, events: [], cancelled: null, landed: false, begun: false };
  const { targets, events, cancelled } = armed;
  for (const target of targets) {
    if (target === window && !isWholePage) continue;
    for (const type of ALL_EVENTS) unlisten.call(target, type, onInput, true);
  }
  const landed = hasLanded();
  armed = null;
  return { armed: true, events: events.map(({ type, ok }) => ({ type, ok })), cancelled, landed, begun: events.some((event) => event.ok && BEGINS.has(event.type)) };
}
