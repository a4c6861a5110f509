// The observation: the walk's findings, chosen, ordered and described.

const HEADINGS_MAX = 12;
const HEADINGS_TRIED_MAX = 60;
const DIALOGS_MAX = 5;
const DIALOG_CHARS_MAX = 300;
const GENERIC_CHARS_MAX = 240;
const GENERIC_INNER_MAX = 5;

// A page with more controls than are listed is told of in parts, each a run of controls that one look lists whole.
const PART_CONTROLS = 200;
const PARTS_MAX = 40;
const PART_CHARS_MAX = 70;

/**
 * @param {{controlsMax: number, textCharsMax: number, nameCharsMax: number, optionsMax: number, closed?: number, place?: Place, from?: number}} options
 * @param {...any} handed options.closed nodes in closed shadow roots, then elements with press listeners
 * @returns {any} RawObservation
 */
function observe(options, ...handed) {
  standAt(options.place);
  return inPass(() => {
    watchTree(document);
    const closed = options.closed || 0;
    handed.slice(0, closed).forEach(noteClosed);
    nameCharsMax = options.nameCharsMax || NAME_CHARS_DEFAULT;
    const clickable = new WeakSet(handed.slice(closed).filter(isElement));
    const seen = walkPage(options.textCharsMax, clickable);
    const kept = withLabelled(seen).filter(isWorthListing);
    const parts = partsOf(kept, options.controlsMax);
    const chosen = ordered(kept, parts, options.from);
    const listed = [];
    let omitted = 0;
    for (const candidate of chosen) {
      if (listed.length >= options.controlsMax) omitted++;
      else if (hasBox(candidate.shownBy)) listed.push(candidate);
    }
    const controls = listed.map((candidate) => describeSafely(candidate, options)).filter((control) => control !== null);
    omitted += listed.length - controls.length;
    number(controls);
    const record = { ...pageRecord(seen, options), omitted: omitted + seen.failed, controls, parts: parts.map((part) => partRecord(part, listed)) };
    noteLook(listed.map((candidate) => candidate.el), seen);
    return record;
  });
}

/** One odd element must not hide all others. @param {Candidate} candidate @param {any} options @returns {any} null: left out */
function describeSafely(candidate, options) {
  try {
    return describe(candidate, options);
  } catch {
    return null;
  }
}

/** @param {Seen} seen @param {{textCharsMax: number}} options @returns {any} */
function pageRecord(seen, options) {
  return {
    url: cut(String(window.location.href), URL_CHARS_MAX), title: cut(tidy(titleOf(document).slice(0, 2000)), 300),
    lang: documentElementOf(document) ? cut(tidy(attr(documentElementOf(document), 'lang')), 40) : '',
    text: textFrom(seen, options.textCharsMax),
    headings: seen.headings.map((el) => visibleTextIn(el, CONTEXT_CHARS_MAX)).filter(Boolean).slice(0, HEADINGS_MAX),
    dialogs: seen.dialogs.slice(0, DIALOGS_MAX).map((el) => visibleTextIn(el, DIALOG_CHARS_MAX)),
    ...scrollState(seen.scrollers), busy: seen.busy, nodes: seen.nodes, truncated: seen.truncated, unreadableFrames: seen.unreadableFrames,
  };
}

const titleOf = getterOf(Document.prototype, 'title');
/** @param {Seen} seen @param {number} max @returns {string} */
function textFrom(seen, max) {
  return cut(seen.pieces.join('').toWellFormed(), max);
}

/** @param {Candidate[]} kept @param {number} controlsMax @returns {Candidate[][]} runs in document order; none when all are listed anyway */
function partsOf(kept, controlsMax) {
  if (kept.length <= controlsMax) return [];
  const size = Math.max(PART_CONTROLS, Math.ceil(kept.length / PARTS_MAX));
  const parts = [];
  for (let at = 0; at < kept.length; at += size) parts.push(kept.slice(at, at + size));
  return parts;
}

/**
 * @param {Candidate[]} kept @param {Candidate[][]} parts @param {number} [from] key of the control that the wanted part begins with
 * @returns {Candidate[]} what to list: the wanted part, then what is in view, then in document order
 */
function ordered(kept, parts, from) {
  const wanted = new Set(from ? parts.find((part) => keyFor(part[0].el) === from) : []);
  const others = wanted.size ? kept.filter((c) => !wanted.has(c)) : kept;
  return [...wanted, ...others.filter((c) => c.inViewport), ...others.filter((c) => !c.inViewport)];
}

/** @param {Candidate[]} part @param {Candidate[]} listed @returns {any} */
function partRecord(part, listed) {
  const known = new Set(listed);
  const first = part[0].el;
  return {
    from: keyFor(first), controls: part.length, name: sayEnd(first) + ' \u2026 ' + sayEnd(part[part.length - 1].el), heading: headingOf(first),
    listed: part.filter((candidate) => known.has(candidate)).length,
  };
}

/** @param {any} el @returns {string} what a part begins or ends with: the row tells more than the button in it */
function sayEnd(el) {
  return cut(rowOf(el) || nameForListing(el) || sectionOf(el), PART_CHARS_MAX);
}

/** Checkboxes, radios and file inputs that are drawn by their label join in the label's place. @param {Seen} seen @returns {Candidate[]} */
function withLabelled(seen) {
  const known = new Set(seen.candidates.map((candidate) => candidate.el));
  /** @type {Candidate[]} */
  const result = [];
  let next = 0;
  seen.candidates.forEach((candidate, i) => {
    while (next < seen.labels.length && seen.labels[next].at <= i) addLabelled(seen.labels[next++], known, result);
    result.push(candidate);
  });
  while (next < seen.labels.length) addLabelled(seen.labels[next++], known, result);
  return result;
}

/** @param {any} entry @param {Set<any>} known @param {Candidate[]} result */
function addLabelled({ label, control, level }, known, result) {
  if (known.has(control)) return;
  const box = toTop(boxOf(label), level.frame);
  if (!isReachable(box, clipAt(level), level.frame, SIZE_SHOWN_MIN)) return;
  known.add(control);
  result.push({
    el: control, kind: inputTypeOf(control) === 'file' ? 'field' : 'toggle', shownBy: label, frame: level.frame, box,
    inViewport: isInView(box, clipAt(level)), ownText: 1, inner: 0, lastInner: null, weak: false, weighed: false, stateOf: null,
  });
}

/** A listener or pointer cursor on a box that only holds other controls, or half the page, is no control. @param {Candidate} candidate */
function isWorthListing(candidate) {
  if (!candidate.weak) return !isWrapper(candidate);
  const tag = tagOf(candidate.el);
  if (tag === 'main' || tag === 'form') return false;
  if (candidate.inner === 0) return candidate.ownText <= GENERIC_CHARS_MAX * 4;
  return candidate.ownText > 0 && candidate.ownText <= GENERIC_CHARS_MAX && candidate.inner <= GENERIC_INNER_MAX;
}

/** A tab or menu item whose whole content is one link or button is pressed there. @param {Candidate} candidate */
function isWrapper(candidate) {
  const inner = candidate.lastInner;
  if (!candidate.weighed || candidate.inner !== 1 || candidate.ownText > 0 || !inner || inner.weak || inner.kind === 'field') return false;
  inner.stateOf = candidate.el;
  return true;
}

/** @param {any[]} controls numbers those that would read alike */
function number(controls) {
  const groups = new Map();
  for (const control of controls) {
    const alike = JSON.stringify([control.role, control.name, control.row, control.section, control.heading]);
    const group = groups.get(alike);
    if (group) group.push(control);
    else groups.set(alike, [control]);
  }
  for (const group of groups.values()) {
    group.forEach((/** @type {any} */ control, /** @type {number} */ i) => {
      control.nth = i + 1;
      control.of = group.length;
    });
  }
}

/** @param {number} charsMax @param {Place | null} [told] @returns {string} */
function visibleText(charsMax, told) {
  standAt(told);
  return inPass(() => textFrom(walkPage(charsMax, new WeakSet()), charsMax));
}

/** @param {number} key @returns {Meaning | null} */
function meaning(key) {
  const el = elementFor(key);
  return el ? inPass(() => meaningOf(el)) : null;
}

/** @param {number[]} keys @param {Place | null} [told] @returns {Box[]} boxes of these controls and of every filled secret that shows */
function boxesToHide(keys, told) {
  standAt(told);
  return inPass(() => {
    const elements = keys.map(elementFor).filter((el) => el !== null);
    for (const candidate of walkPage(0, new WeakSet()).candidates) {
      if (isSecretInput(candidate.el) && isFilled(candidate.el) && !elements.includes(candidate.el)) elements.push(candidate.el);
    }
    return elements.map((el) => {
      const frame = frameHolding(el);
      return frame ? roundBox(toTop(boxOf(el), frame)) : emptyBox();
    }).filter((box) => box.width > 0 && box.height > 0);
  });
}
