// Where a control stands: its row, section, heading, landmark and neighbours. Read alike when listing and when acting.

const CONTEXT_CHARS_MAX = 160;
const CONTEXT_CLIMB_MAX = 60;
const ROW_CHARS_MAX = 400;
const ROW_ROLES = new Set(['row', 'listitem', 'article', 'option', 'treeitem']);
const HEADINGS = 'h1,h2,h3,h4,h5,h6,[role=heading]';
const HEADING_SCOPES = new Set(['section', 'article', 'aside', 'nav', 'li', 'tr', 'dialog', 'fieldset', 'header', 'footer', 'td']);
const HEADINGS_BACK_MAX = 40;

/** @param {any} el a control @returns {string} text of the enclosing row or card without the control itself */
function rowOf(el) {
  return remember('row', el, () => {
    let text = '';
    let node = flatParent(el);
    let climbed = 0;
    const inField = fieldTypeOf(el) !== '' && nameOf(el) !== '';
    for (let steps = 0; node && steps < CONTEXT_CLIMB_MAX && climbed < 3; node = flatParent(node), steps++) {
      if (STOPS_ROW.has(tagOf(node))) break;
      if (!isRow(node) || (inField && isFieldGroup(node))) continue;
      climbed++;
      text = rowText(node, el);
      if (text) break;
    }
    return cut(text, CONTEXT_CHARS_MAX);
  });
}

const STOPS_ROW = new Set(['body', 'main', 'html', 'dialog']);

/** @param {any} node @returns {boolean} a row, list item, article or one of several like cards */
function isRow(node) {
  return remember('isRow', node, () => ROW_ROLES.has(roleOf(node)) || isCard(node));
}

/** A card has a sibling of the same tag and class, and is more than a word in a line. @param {any} node */
function isCard(node) {
  const tag = localNameOf(node);
  const names = attr(node, 'class').trim();
  if (!names || tag === 'form' || tag === 'td' || tag === 'th' || tag === 'span' || tag === 'label') return false;
  const first = names.split(/\s+/)[0];
  return hasTwin(node, tag, first, previousSiblingOf) || hasTwin(node, tag, first, nextSiblingOf);
}

/** @param {any} node @param {string} tag @param {string} first class @param {(node: any) => any} step @returns {boolean} */
function hasTwin(node, tag, first, step) {
  let tried = 0;
  for (let other = step(node); other && tried < 8; other = step(other)) {
    if (nodeTypeOf(other) !== ELEMENT) continue;
    tried++;
    if (localNameOf(other) === tag && attr(other, 'class').trim().split(/\s+/)[0] === first) return true;
  }
  return false;
}

/** @param {any} row @param {any} el the control in it @returns {string} */
function rowText(row, el) {
  const labels = labelsOf(el);
  const apart = [el, ...labels, ...idRefs(el, 'aria-describedby'), ...idRefs(el, 'aria-errormessage')];
  const item = tagOf(row) === 'li';
  const skip = (/** @type {any} */ node) => apart.includes(node) || isOtherControl(node) || isMessage(node) || (item && isList(node));
  const text = visibleTextIn(row, ROW_CHARS_MAX + 1, skip) || pictureText(row, el);
  // Something as long as this is a page region laid out as a list, not a row.
  if (text.length > ROW_CHARS_MAX && roleOf(row) !== 'row') return cut(text, CONTEXT_CHARS_MAX);
  return text;
}

const MESSAGE_ROLES = new Set(['alert', 'status', 'log', 'timer', 'tooltip']);
const MESSAGE_WORD = /(^|[\s_-])(error|errors|invalid|feedback|hint|help|helper|counter|message|validation|tooltip)([\s_-]|$)/i;

/** Hints and errors come and go with what is typed, so they don't tell which row it is. @param {any} node */
function isMessage(node) {
  if (hasAttr(node, 'role') && MESSAGE_ROLES.has(attr(node, 'role'))) return true;
  if (hasAttr(node, 'aria-live') && attr(node, 'aria-live') !== 'off') return true;
  return hasAttr(node, 'class') && MESSAGE_WORD.test(attr(node, 'class'));
}

/** A label and its field repeated down a form make no cards; a card has a picture, heading or link. @param {any} node */
function isFieldGroup(node) {
  return remember('fieldGroup', node, () => !ROW_ROLES.has(roleOf(node)) && queryAll(node, HEADINGS + ',a[href],img').length === 0);
}

/** A list inside a list item is a submenu or a thread, and may open under the pointer. @param {any} node */
function isList(node) {
  return ['ul', 'ol', 'menu'].includes(tagOf(node));
}

/** Some cards are told apart by their picture alone. @param {any} row @param {any} el @returns {string} */
function pictureText(row, el) {
  const pictures = Array.from(queryAll(row, 'img[alt]')).slice(0, 20).filter((img) => !contains(el, img) && isRendered(img));
  return cut(tidy(pictures.slice(0, 3).map((img) => attr(img, 'alt')).join(' ')), CONTEXT_CHARS_MAX);
}

/** Other buttons and fields of a row change with their own state, so they don't tell which row it is. @param {any} node */
function isOtherControl(node) {
  const tag = tagOf(node);
  if (tag === 'button' || tag === 'select' || tag === 'textarea' || tag === 'input') return true;
  if (hasAttr(node, 'contenteditable') && isEditingHost(node)) return true;
  const role = attr(node, 'role');
  return role === 'button' || role === 'combobox' || role === 'textbox' || role === 'menu' || role === 'tooltip';
}

/** @param {any} el @returns {string} name of the nearest named landmark, group or dialog around it */
function sectionOf(el) {
  let node = flatParent(el);
  for (let steps = 0; node && steps < CONTEXT_CLIMB_MAX; node = flatParent(node), steps++) {
    const name = remember('sectionName', node, sectionName);
    if (name) return cut(name, CONTEXT_CHARS_MAX);
  }
  return '';
}

const SECTION_ROLES = new Set([
  ...LANDMARKS, 'group', 'radiogroup', 'dialog', 'alertdialog', 'tabpanel', 'table', 'grid', 'list', 'listbox', 'menu',
  'tablist', 'toolbar', 'tree', 'figure', 'article',
]);

/** @param {any} node @returns {string} "" when it names no section */
function sectionName(node) {
  const tag = tagOf(node);
  if (tag === 'details') return detailsName(node);
  const role = roleOf(node);
  if (SECTION_ROLES.has(role) && role !== 'document') return tidy(nameOf(node));
  if (tag === 'form' || tag === 'section') return tidy(nameOf(node));
  return '';
}

/** @param {any} details @returns {string} */
function detailsName(details) {
  for (let node = firstChildOf(details); node; node = nextSiblingOf(node)) {
    if (isElement(node) && tagOf(node) === 'summary') return visibleTextIn(node, CONTEXT_CHARS_MAX);
  }
  return '';
}

/** @param {any} el @returns {string} text of the nearest heading before it that governs it */
function headingOf(el) {
  let node = el;
  for (let tries = 0; node && tries < 10; tries++) {
    const root = rootOf(node);
    const text = headingIn(root, node);
    if (text || nodeTypeOf(root) !== FRAGMENT) return text;
    node = shadowHost(root);
  }
  return '';
}

/** @type {WeakMap<any, {at: number, list: NodeListOf<Element>}>} */
const headingLists = new WeakMap();

/** Finding them is the dearest part of a meaning on a large page, and only a change of the tree changes them. @param {any} root */
function headingsIn(root) {
  watchTree(root);
  const at = mutationCount();
  const known = headingLists.get(root);
  if (known && known.at === at) return known.list;
  const list = queryAll(root, HEADINGS);
  headingLists.set(root, { at, list });
  return list;
}

/** @param {any} root @param {any} el @returns {string} */
function headingIn(root, el) {
  const headings = remember('headings', root, headingsIn);
  const last = lastBefore(headings, el);
  for (let i = last; i >= 0 && i > last - HEADINGS_BACK_MAX; i--) {
    const heading = headings[i];
    if (heading === el || contains(heading, el)) continue;
    if (!governs(heading, el)) continue;
    const text = remember('headingText', heading, () => visibleTextIn(heading, CONTEXT_CHARS_MAX));
    if (text) return text;
  }
  return '';
}

/** @param {NodeListOf<Element>} list in document order @param {any} el @returns {number} index of the last that precedes it */
function lastBefore(list, el) {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const precedes = comparePosition.call(list[middle], el) & Node.DOCUMENT_POSITION_FOLLOWING;
    if (precedes) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** A heading governs what follows it inside its own sectioning element; a header's heading governs that header's parent. */
function governs(/** @type {any} */ heading, /** @type {any} */ el) {
  let scope = remember('headingScope', heading, scopeOf);
  while (scope && (tagOf(scope) === 'header' || localNameOf(scope) === 'hgroup')) scope = scopeOf(scope);
  return scope === null || contains(scope, el);
}

/** @param {any} node @returns {Element | null} */
function scopeOf(node) {
  let up = parentNodeOf(node);
  for (let steps = 0; up && nodeTypeOf(up) === ELEMENT && steps < CONTEXT_CLIMB_MAX; up = parentNodeOf(up), steps++) {
    if (HEADING_SCOPES.has(tagOf(up)) || isRow(up)) return up;
  }
  return null;
}

/** @param {any} el @returns {string} role of the nearest landmark around it, "" if none */
function landmarkOf(el) {
  return remember('landmark', el, (start) => {
    let node = flatParent(start);
    for (let steps = 0; node && steps < CONTEXT_CLIMB_MAX; node = flatParent(node), steps++) {
      const role = remember('role', node, roleOf);
      if (LANDMARKS.has(role)) return role;
    }
    return '';
  });
}

/** @param {any} el @returns {boolean} */
function isInDialog(el) {
  let node = flatParent(el);
  for (let steps = 0; node && steps < CONTEXT_CLIMB_MAX; node = flatParent(node), steps++) {
    const role = remember('role', node, roleOf);
    if (role === 'dialog' || role === 'alertdialog') return true;
  }
  return false;
}

const AD_TOKEN = /^(ads?|advert(isement|ising|s)?|sponsor(ed)?|adsbygoogle|ad-?(banner|box|slot|unit|container|wrapper)|banner-?ad)$/i;
const AD_LABEL = /^(ads?|advert(isement)?s?|sponsored|promoted|anzeige|publicit[eé]|patrocinado|paid (post|partnership))\b/i;

const childCountOf = getterOf(Element.prototype, 'childElementCount');

/** @param {any} el @returns {boolean} it stands in something that says it is an advert */
function isSponsored(el) {
  if (/\bsponsored\b/i.test(attr(el, 'rel'))) return true;
  let node = el;
  for (let steps = 0; node && steps < 12; node = flatParent(node), steps++) {
    if (STOPS_ROW.has(tagOf(node))) return false;
    if (remember('advert', node, saysAdvert)) return true;
  }
  return false;
}

/** @param {any} node @returns {boolean} */
function saysAdvert(node) {
  const words = (attr(node, 'class') + ' ' + attr(node, 'id')).split(/[\s_]+/);
  if (words.some((word) => AD_TOKEN.test(word))) return true;
  if (hasAttr(node, 'data-ad') || hasAttr(node, 'data-ad-slot') || hasAttr(node, 'data-ad-client')) return true;
  if (AD_LABEL.test(attr(node, 'aria-label').trim())) return true;
  return startsWithAdLabel(node);
}

/** A short first child that only says "Ad" labels the box. @param {any} node */
function startsWithAdLabel(node) {
  let tried = 0;
  for (let child = firstChildOf(node); child && tried < 3; child = nextSiblingOf(child)) {
    if (nodeTypeOf(child) !== ELEMENT) continue;
    tried++;
    if (childCountOf(child) > 2) continue;
    const text = tidy(textContentOf(child).slice(0, 60));
    if (text.length < 24 && AD_LABEL.test(text)) return true;
  }
  return false;
}

/** @param {any} el a control without a name @returns {string} short visible text just before it, or just after it in the same box */
function nearOf(el) {
  let node = el;
  for (let steps = 0; node && steps < 6; steps++) {
    const text = textBeside(node, previousSiblingOf) || (steps < 2 ? textBeside(node, nextSiblingOf) : '');
    if (text) return text.length > CONTEXT_CHARS_MAX ? text.slice(-CONTEXT_CHARS_MAX).toWellFormed() : text;
    node = flatParent(node);
    if (!node || STOPS_ROW.has(tagOf(node))) return '';
  }
  return '';
}

/** @param {any} node @param {(node: any) => any} step to the next sibling @returns {string} the first text there; another field ends the search forward */
function textBeside(node, step) {
  for (let other = step(node), tries = 0; other && tries < 6; other = step(other), tries++) {
    const element = nodeTypeOf(other) === ELEMENT;
    if (element && step === nextSiblingOf && (matches(other, FIELDS) || queryAll(other, FIELDS).length > 0)) return '';
    const text = tidy(nodeTypeOf(other) === TEXT ? dataOf(other).slice(-400) : element ? textOfSibling(other) : '');
    if (text) return text;
  }
  return '';
}

const FIELDS = 'input,select,textarea,[contenteditable]';

/** @param {any} el @returns {string} */
function textOfSibling(el) {
  return UNSEEN_TAGS.has(tagOf(el)) ? '' : visibleTextIn(el, CONTEXT_CHARS_MAX, isOtherControl);
}
