// Which elements are controls, and the record of one.

/**
 * @typedef {object} Candidate
 * @property {any} el
 * @property {string} kind
 * @property {any} shownBy the element whose box is pressed: itself, or the label of a control that is drawn by its label
 * @property {Frame} frame
 * @property {Box} box in the top viewport
 * @property {boolean} inViewport
 * @property {number} ownText characters seen in it outside other candidates
 * @property {number} inner candidates inside it
 * @property {Candidate | null} lastInner
 * @property {boolean} weak only a listener, pointer cursor or tabindex speaks for it
 * @property {boolean} weighed ownText is counted
 * @property {any} stateOf the wrapper (a tab around its link) that carries its state, or null
 */

const KIND_OF_ROLE = new Map(Object.entries({
  link: 'link', button: 'button', textbox: 'field', searchbox: 'field', spinbutton: 'field', checkbox: 'toggle', radio: 'toggle',
  switch: 'toggle', menuitemcheckbox: 'toggle', menuitemradio: 'toggle', option: 'option', menuitem: 'option', tab: 'option',
  treeitem: 'option', combobox: 'button', slider: 'generic',
}));

/** @param {any} el @param {string} tag @param {number} flags @returns {string} the kind its own tag and attributes give it, "" if none */
function kindOf(el, tag, flags) {
  switch (tag) {
    case 'input': return kindOfInput(el);
    case 'select': return 'choice';
    case 'textarea': return 'field';
    case 'a': case 'area': case 'svg:a':
      if (hasAttr(el, 'href') || hasAttr(el, 'xlink:href')) return 'link';
      break;
    case 'button': return KIND_OF_ROLE.get(explicitRole(el)) || 'button';
    case 'summary': return isDetailsSummary(el) ? 'button' : '';
  }
  if (flags & HAS_EDITABLE && isEditingHost(el)) return 'field';
  const role = flags & HAS_ROLE ? explicitRole(el) : '';
  if (!role) return '';
  if (role === 'gridcell') return hasAttr(el, 'tabindex') ? 'option' : '';
  if (role === 'textbox' || role === 'searchbox' || role === 'spinbutton') return kindOfTextRole(el);
  return KIND_OF_ROLE.get(role) || '';
}

/** A textbox that cannot be edited or focused is only drawn like one. @param {any} el */
function kindOfTextRole(el) {
  return isHtml(el) && isContentEditable(el) ? 'field' : 'generic';
}

/** @param {any} el @returns {string} */
function kindOfInput(el) {
  switch (inputTypeOf(el)) {
    case 'hidden': return '';
    case 'password': noteSecret(el); return 'field';
    case 'checkbox': case 'radio': return 'toggle';
    case 'button': case 'submit': case 'reset': case 'image': return KIND_OF_ROLE.get(explicitRole(el)) || 'button';
    default: return 'field';
  }
}

/** @param {any} el @param {number} flags @returns {boolean} inline handlers or tabindex make it pressable */
function isPressable(el, flags) {
  return (flags & HAS_CLICK) !== 0 || (flags & HAS_TABINDEX) !== 0 && parseInt(attr(el, 'tabindex'), 10) >= 0;
}

/**
 * What is bound to an offer: compared again when the action is made.
 * @typedef {{role: string, name: string, row: string, section: string, heading: string, frameOrigin: string,
 *   href: string, formAction: string, formMethod: string, inputType: string, carried: string}} Meaning
 */

const MEANING_PARTS = ['role', 'name', 'row', 'section', 'heading', 'frameOrigin', 'href', 'formAction', 'formMethod', 'inputType', 'carried'];
const NAME_CHARS_DEFAULT = 200;
let nameCharsMax = NAME_CHARS_DEFAULT;

/** @param {any} el @returns {Meaning} */
function meaningOf(el) {
  const sent = submissionOf(el);
  return {
    role: roleForListing(el), name: nameForListing(el), row: rowOf(el), section: sectionOf(el), heading: headingOf(el),
    frameOrigin: originOf(ownerDocumentOf(el)), href: hrefOf(el), formAction: sent ? sent.action : '',
    formMethod: sent ? sent.method : '', inputType: fieldTypeOf(el), carried: carriedBy(el),
  };
}

/** @param {any} el @returns {string} */
function roleForListing(el) {
  const role = roleOf(el);
  return role === 'generic' || role === 'none' || role === 'presentation' ? '' : role;
}

/** The accessible name; for an element without a role that gives one, its visible text. @param {any} el */
function nameForListing(el) {
  const name = tidy(nameOf(el));
  if (name) return cut(name, nameCharsMax);
  if (isEditingHost(el) || fieldTypeOf(el)) return '';
  const text = visibleTextIn(el, nameCharsMax, isOtherControl) || visibleTextIn(el, nameCharsMax);
  return text || cut(tidy(alternative(el, { ...freshAsking(el), how: 'content' })), nameCharsMax);
}

const linkHref = getterOf(HTMLAnchorElement.prototype, 'href');
const areaHref = getterOf(HTMLAreaElement.prototype, 'href');
const baseUriOf = getterOf(Node.prototype, 'baseURI');

/** @param {any} el @returns {string} resolved destination, also of the link around a control that is not one; "" if none */
function hrefOf(el) {
  for (let node = el, steps = 0; node && steps < CONTEXT_CLIMB_MAX; node = flatParent(node), steps++) {
    const tag = tagOf(node);
    if (tag === 'a' && hasAttr(node, 'href')) return cut(linkHref(node), URL_CHARS_MAX);
    if (tag === 'area' && hasAttr(node, 'href')) return cut(areaHref(node), URL_CHARS_MAX);
    if (tag === 'svg:a') return resolveHref(attr(node, 'href') || attr(node, 'xlink:href'), node);
    if (node === el && (fieldTypeOf(el) || tag === 'button')) return '';
  }
  return '';
}

/** @param {string} href @param {any} node @returns {string} */
function resolveHref(href, node) {
  return href && URL.canParse(href, baseUriOf(node)) ? new URL(href, baseUriOf(node)).href : '';
}

/**
 * @param {Candidate} candidate
 * @param {{nameCharsMax: number, optionsMax: number}} limits
 * @returns {any} the control as listed, but for nth and of
 */
function describe(candidate, limits) {
  const { el } = candidate;
  const meaning = meaningOf(el);
  const inputType = meaning.inputType;
  const secret = isSecretInput(el);
  const isField = candidate.kind === 'field' || candidate.kind === 'choice';
  const text = inputType !== '' && candidate.kind !== 'button' ? '' : cut(seenText(el, inputType, limits.nameCharsMax), limits.nameCharsMax);
  return {
    key: keyFor(el), tag: localNameOf(el), role: meaning.role, name: meaning.name,
    visibleText: text === meaning.name ? '' : text, description: description(el, meaning.name, limits.nameCharsMax),
    kind: candidate.kind, inputType, autocomplete: cut(attr(el, 'autocomplete'), 100),
    fieldName: cut(tidy(attr(el, 'name') || attr(el, 'id')), 100), placeholder: cut(tidy(attr(el, 'placeholder')), limits.nameCharsMax),
    value: isField && !secret && inputType !== 'file' ? cut(fieldValue(el), 200) : null,
    filled: isField && isFilled(el), secret, ...stateOf(candidate.stateOf || el),
    options: inputType === 'select' ? optionsOf(el, limits.optionsMax) : null,
    href: meaning.href, target: linkTarget(el), download: tagOf(el) === 'a' && hasAttr(el, 'download'),
    submits: isSubmitter(el), form: formRecord(el), carried: carriedBy(el),
    row: meaning.row, section: meaning.section, heading: meaning.heading, near: meaning.name ? '' : nearOf(el),
    landmark: landmarkOf(el), inDialog: isInDialog(el), sponsored: isSponsored(el), frameOrigin: meaning.frameOrigin,
    box: roundBox(candidate.box), inViewport: candidate.inViewport,
    ...aimOf(candidate), keys: listensForKeys(el), widgetKeys: widgetKeys(el), hasMenu: hasHiddenMenu(el), nth: 1, of: 1,
  };
}

/** @param {any} el @param {string} inputType @param {number} max @returns {string} */
function seenText(el, inputType, max) {
  if (inputType) return tidy(attr(el, 'value'));
  return visibleTextIn(el, max);
}

/** A control with neither name nor description is told by its class or picture. @param {any} el @param {string} name @param {number} max */
function description(el, name, max) {
  const said = tidy(descriptionOf(el));
  if (said || name) return cut(said === name ? '' : said, max);
  return cut(tidy(lookOf(el)), max);
}

/** @param {any} el @returns {string} words of its picture file, class or id */
function lookOf(el) {
  const picture = tagOf(el) === 'img' ? el : queryAll(el, 'img')[0];
  const source = picture ? attr(picture, 'src') : '';
  const file = source && !source.startsWith('data:') ? (source.split(/[?#]/)[0].split('/').pop() || '').replace(/\.\w+$/, '') : '';
  const inner = queryAll(el, 'i[class],span[class],use')[0];
  const own = (attr(el, 'class') + ' ' + attr(el, 'id')).trim();
  const words = file || own || (inner ? attr(inner, 'class') || attr(inner, 'href') : '');
  return words.replace(/[_#./-]+/g, ' ').replace(/([a-z])([A-Z])/g, '$1 $2');
}

/** @param {any} el @returns {string} */
function linkTarget(el) {
  const tag = tagOf(el);
  return tag === 'a' || tag === 'area' ? cut(tidy(attr(el, 'target') || baseTarget(el)), FIELD_CHARS_MAX) : '';
}

const MENU_PARTS = 'a[href],button,[role=menuitem],[role=menuitemcheckbox],[role=menuitemradio]';

/** @param {any} el @returns {boolean} beside or in it is something with links or buttons that does not show now */
function hasHiddenMenu(el) {
  const near = [nextElementOf(el), ...childrenOf(el, 4)];
  const parent = parentNodeOf(el);
  if (parent && nodeTypeOf(parent) === ELEMENT && tagOf(parent) === 'li') near.push(...childrenOf(parent, 4).filter((child) => child !== el));
  return near.some((box) => box && !matches(box, 'a,button,script,style,template') && isPutAway(box) && queryAll(box, MENU_PARTS).length > 0);
}

/** @param {any} el @returns {boolean} */
function isPutAway(el) {
  const style = styleOf(el);
  return style.display === 'none' || style.visibility === 'hidden' || style.opacity === '0' || boxOf(el).height < SIZE_SHOWN_MIN;
}

const nextElementOf = getterOf(Element.prototype, 'nextElementSibling');
const firstElementOf = getterOf(Element.prototype, 'firstElementChild');

/** @param {any} el @param {number} max @returns {any[]} */
function childrenOf(el, max) {
  const list = [];
  for (let child = firstElementOf(el); child && list.length < max; child = nextElementOf(child)) list.push(child);
  return list;
}

const UP_DOWN = new Set(['combobox', 'listbox', 'option', 'menu', 'menubar', 'menuitem', 'menuitemcheckbox', 'menuitemradio', 'grid', 'gridcell', 'treegrid', 'tree', 'treeitem', 'slider']);
const LEFT_RIGHT = new Set(['menubar', 'menuitem', 'menuitemcheckbox', 'menuitemradio', 'grid', 'gridcell', 'treegrid', 'tree', 'treeitem', 'tab', 'tablist', 'toolbar', 'slider']);
const SHUTS = new Set(['menu', 'menuitem', 'menuitemcheckbox', 'menuitemradio', 'listbox', 'option']);
// What holds the focus for all that is in it.
const COMPOSITES = new Set(['listbox', 'menu', 'menubar', 'grid', 'treegrid', 'tree', 'tablist', 'toolbar', 'dialog', 'alertdialog', 'radiogroup']);

/** @param {any} el @returns {boolean} it is the very element that keys go to */
function isFocused(el) {
  return el !== null && hasFocus(el) && activeElementIn(rootOf(el)) === el;
}

/** @param {any} root @returns {any} */
function activeElementIn(root) {
  const type = nodeTypeOf(root);
  return type === DOCUMENT ? activeInDocument(root) : type === FRAGMENT ? activeInShadow(root) : null;
}

/** @param {any} el @returns {string[]} keys that a widget of its role listens for by the book, while it has the focus */
function widgetKeys(el) {
  if (!isFocused(el)) return [];
  const role = explicitRole(el);
  const keys = [];
  const pops = hasAttr(el, 'aria-haspopup') && attr(el, 'aria-haspopup') !== 'false';
  if (role === 'dialog' || role === 'alertdialog' || SHUTS.has(role) || attr(el, 'aria-expanded') === 'true' || isInDialog(el) || closest(el, '[popover]:popover-open,[role=menu],[role=listbox]')) {
    keys.push('Escape');
  }
  if (UP_DOWN.has(role) || pops) keys.push('ArrowDown', 'ArrowUp');
  if (LEFT_RIGHT.has(role)) keys.push('ArrowLeft', 'ArrowRight');
  return keys;
}

/** @param {any} el @returns {boolean} it says that it listens for keys */
function listensForKeys(el) {
  return hasAttr(el, 'onkeydown') || hasAttr(el, 'onkeyup') || hasAttr(el, 'onkeypress');
}

const indeterminateOf = getterOf(HTMLInputElement.prototype, 'indeterminate');

/** @param {any} el @returns {any} checked, selected, expanded, pressed, disabled, readonly, required, invalid */
function stateOf(el) {
  return {
    checked: checkedState(el), selected: selectedState(el), expanded: expandedState(el), pressed: triState(attr(el, 'aria-pressed')),
    disabled: isDisabled(el), readonly: hasAttr(el, 'readonly') || attr(el, 'aria-readonly') === 'true',
    required: hasAttr(el, 'required') || attr(el, 'aria-required') === 'true',
    invalid: isInvalid(el),
  };
}

/** @param {any} el @returns {boolean} */
function isInvalid(el) {
  const said = attr(el, 'aria-invalid');
  if (said) return said !== 'false';
  return matches(el, 'input:user-invalid,textarea:user-invalid,select:user-invalid');
}

/** @param {string} value @returns {boolean | 'mixed' | null} */
function triState(value) {
  if (value === 'true') return true;
  if (value === 'false') return false;
  return value === 'mixed' ? 'mixed' : null;
}

/** @param {any} el @returns {boolean | 'mixed' | null} */
function checkedState(el) {
  if (tagOf(el) === 'input') {
    const type = inputTypeOf(el);
    if (type !== 'checkbox' && type !== 'radio') return null;
    return type === 'checkbox' && indeterminateOf(el) ? 'mixed' : checkedOf(el);
  }
  const said = triState(attr(el, 'aria-checked'));
  if (said !== null) return said;
  return ['checkbox', 'radio', 'switch', 'menuitemcheckbox', 'menuitemradio'].includes(roleOf(el)) ? false : null;
}

/** @param {any} el @returns {boolean | null} */
function selectedState(el) {
  const said = attr(el, 'aria-selected');
  if (said === 'true' || said === 'false') return said === 'true';
  const current = attr(el, 'aria-current');
  return current && current !== 'false' ? true : null;
}

/** @param {any} el @returns {boolean | null} */
function expandedState(el) {
  if (tagOf(el) === 'summary' && isDetailsSummary(el)) return hasAttr(parentNodeOf(el), 'open');
  const said = attr(el, 'aria-expanded');
  return said === 'true' || said === 'false' ? said === 'true' : null;
}

/** @param {any} el @returns {boolean} */
function isDisabled(el) {
  if (matches(el, ':disabled')) return true;
  for (let node = el, steps = 0; node && steps < CONTEXT_CLIMB_MAX; node = flatParent(node), steps++) {
    if (attr(node, 'aria-disabled') === 'true') return true;
  }
  return false;
}

const optionValueOf = getterOf(HTMLOptionElement.prototype, 'value');

/** @param {any} select @param {number} max @returns {any[]} */
function optionsOf(select, max) {
  const options = selectOptionsOf(select);
  const list = [];
  for (let i = 0; i < options.length && list.length < max; i++) {
    const option = options[i];
    list.push({
      index: i, label: cut(optionLabel(option), 200), value: cut(optionValueOf(option), 200),
      selected: optionSelected(option), disabled: matches(option, ':disabled'),
    });
  }
  return list;
}

/** @param {Box} box @returns {Box} tenths of a pixel */
function roundBox(box) {
  const round = (/** @type {number} */ value) => Math.round(value * 10) / 10;
  return { x: round(box.x), y: round(box.y), width: round(box.width), height: round(box.height) };
}
