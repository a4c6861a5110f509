// Computed ARIA roles: the explicit role where it is valid, else the role that HTML-AAM gives the element.

const ARIA_ROLES = new Set((
  'alert alertdialog application article associationlist associationlistitemkey associationlistitemvalue banner blockquote '
  + 'button caption cell checkbox code columnheader combobox comment complementary contentinfo definition deletion dialog '
  + 'directory document emphasis feed figure form generic grid gridcell group heading image img insertion link list listbox '
  + 'listitem log main mark marquee math menu menubar menuitem menuitemcheckbox menuitemradio meter navigation none note '
  + 'option paragraph presentation progressbar radio radiogroup region row rowgroup rowheader scrollbar search searchbox '
  + 'sectionfooter sectionheader separator slider spinbutton status strong subscript suggestion superscript switch tab table '
  + 'tablist tabpanel term textbox time timer toolbar tooltip tree treegrid treeitem'
).split(' '));

const NAME_FROM_CONTENT = new Set((
  'button cell checkbox columnheader gridcell heading link menuitem menuitemcheckbox menuitemradio option radio row '
  + 'rowheader switch tab tooltip treeitem comment sectionhead'
).split(' '));

const NAME_PROHIBITED = new Set((
  'caption code definition deletion emphasis generic insertion mark none paragraph presentation strong subscript '
  + 'suggestion superscript term time'
).split(' '));

const LANDMARKS = new Set('banner complementary contentinfo form main navigation region search'.split(' '));

const GLOBAL_ARIA = (
  'aria-atomic aria-busy aria-controls aria-current aria-describedby aria-description aria-details aria-flowto '
  + 'aria-keyshortcuts aria-label aria-labelledby aria-live aria-owns aria-relevant aria-roledescription'
).split(' ');

const SIMPLE_ROLES = new Map(Object.entries({
  address: 'group', article: 'article', aside: 'complementary', blockquote: 'blockquote', button: 'button',
  caption: 'caption', code: 'code', datalist: 'listbox', dd: 'definition', del: 'deletion', details: 'group', dfn: 'term',
  dialog: 'dialog', dt: 'term', em: 'emphasis', fieldset: 'group', figure: 'figure', form: 'form', h1: 'heading',
  h2: 'heading', h3: 'heading', h4: 'heading', h5: 'heading', h6: 'heading', hgroup: 'group', hr: 'separator',
  html: 'document', ins: 'insertion', main: 'main', mark: 'mark', math: 'math', menu: 'list', meter: 'meter',
  nav: 'navigation', ol: 'list', optgroup: 'group', option: 'option', output: 'status', p: 'paragraph',
  progress: 'progressbar', search: 'search', strong: 'strong', sub: 'subscript', summary: 'button', sup: 'superscript',
  table: 'table', tbody: 'rowgroup', textarea: 'textbox', tfoot: 'rowgroup', thead: 'rowgroup', time: 'time',
  tr: 'row', ul: 'list', 'svg:svg': 'img', 'svg:a': 'link', b: 'generic', bdi: 'generic', bdo: 'generic', body: 'generic',
  data: 'generic', div: 'generic', i: 'generic', pre: 'generic', q: 'generic', samp: 'generic', small: 'generic',
  span: 'generic', u: 'generic',
}));

const INPUT_ROLES = new Map(Object.entries({
  button: 'button', image: 'button', reset: 'button', submit: 'button', checkbox: 'checkbox', radio: 'radio',
  range: 'slider', number: 'spinbutton', search: 'searchbox', email: 'textbox', tel: 'textbox', text: 'textbox', url: 'textbox',
}));

const SECTIONING = 'article,aside,main,nav,section,[role=article],[role=complementary],[role=main],[role=navigation],[role=region]';

const inputTypeOf = getterOf(HTMLInputElement.prototype, 'type');
const selectMultiple = getterOf(HTMLSelectElement.prototype, 'multiple');
const selectSize = getterOf(HTMLSelectElement.prototype, 'size');

/** @param {any} el @returns {string} the role attribute's first known token, "" if none */
function explicitRole(el) {
  const value = attr(el, 'role');
  if (!value) return '';
  for (const token of value.toLowerCase().split(/[ \t\n\r\f]+/)) {
    if (ARIA_ROLES.has(token)) return token === 'image' ? 'img' : token;
  }
  return '';
}

/** @param {any} el @returns {boolean} can take the focus by tag or tabindex (hidden or not) */
function isFocusable(el) {
  if (hasAttr(el, 'tabindex') && Number.isInteger(parseInt(attr(el, 'tabindex'), 10))) return true;
  const tag = tagOf(el);
  if (tag === 'a' || tag === 'area') return hasAttr(el, 'href');
  if (tag === 'input') return inputTypeOf(el) !== 'hidden' && !matches(el, ':disabled');
  if (tag === 'button' || tag === 'select' || tag === 'textarea') return !matches(el, ':disabled');
  return isEditingHost(el);
}

/** @param {any} el @returns {boolean} the outermost element of a contenteditable region */
function isEditingHost(el) {
  if (!hasAttr(el, 'contenteditable') || !isHtml(el)) return false;
  return attr(el, 'contenteditable').toLowerCase() !== 'false';
}

/** @param {any} el @returns {string} computed role, "" if none */
function roleOf(el) {
  const explicit = explicitRole(el);
  if (!explicit) return implicitRole(el);
  if (explicit === 'none' || explicit === 'presentation') {
    return keepsRole(el) ? implicitRole(el) : explicit;
  }
  if ((explicit === 'form' || explicit === 'region') && !hasAuthorName(el)) return implicitRole(el);
  return explicit;
}

/** Presentation is refused where the element must stay reachable (ARIA, presentational conflict). @param {any} el */
function keepsRole(el) {
  return isFocusable(el) || GLOBAL_ARIA.some((name) => hasAttr(el, name));
}

/** @param {any} el @returns {boolean} */
function hasAuthorName(el) {
  if (collapse(attr(el, 'aria-label')) || collapse(attr(el, 'title'))) return true;
  return idRefs(el, 'aria-labelledby').length > 0;
}

/** @param {any} el @returns {string} the role its tag and attributes give it, "" if none */
function implicitRole(el) {
  const tag = tagOf(el);
  switch (tag) {
    case 'a': case 'area': return hasAttr(el, 'href') ? 'link' : 'generic';
    case 'input': return inputRole(el);
    case 'select': return selectMultiple(el) || selectSize(el) > 1 ? 'listbox' : 'combobox';
    case 'img': return imageRole(el);
    case 'header': return scopedRole(el, 'banner');
    case 'footer': return scopedRole(el, 'contentinfo');
    case 'section': return hasAuthorName(el) ? 'region' : 'generic';
    case 'form': return hasAuthorName(el) ? 'form' : '';
    case 'li': return isListItem(el) ? 'listitem' : 'generic';
    case 'td': case 'th': return cellRole(el, tag);
    case 'aside': return asideRole(el);
    case 'option': return 'option';
    case 'summary': return isDetailsSummary(el) ? 'button' : 'generic';
    default: return SIMPLE_ROLES.get(tag) || '';
  }
}

/** @param {any} el an input @returns {string} */
function inputRole(el) {
  const type = inputTypeOf(el);
  const role = INPUT_ROLES.get(type) || '';
  if ((role === 'textbox' || role === 'searchbox') && hasAttr(el, 'list')) return 'combobox';
  return role;
}

/** An empty alt says decoration, unless the author named it otherwise. @param {any} el an img @returns {string} */
function imageRole(el) {
  if (!hasAttr(el, 'alt') || attr(el, 'alt') !== '') return 'img';
  return keepsRole(el) || hasAttr(el, 'title') ? 'img' : 'none';
}

/** @param {any} el header or footer @param {string} landmark @returns {string} */
function scopedRole(el, landmark) {
  const parent = parentNodeOf(el);
  const scoped = parent && isElement(parent) && closest(parent, SECTIONING);
  return scoped ? 'generic' : landmark;
}

/** @param {any} el an aside @returns {string} */
function asideRole(el) {
  const parent = parentNodeOf(el);
  const scoped = parent && isElement(parent) && closest(parent, 'article,aside,nav,section');
  return scoped && !hasAuthorName(el) ? 'generic' : 'complementary';
}

/** @param {any} el an li @returns {boolean} */
function isListItem(el) {
  const parent = flatParent(el);
  if (!parent) return false;
  const role = explicitRole(parent);
  if (role) return role === 'list' || role === 'directory';
  return ['ul', 'ol', 'menu'].includes(tagOf(parent));
}

/** @param {any} el td or th @param {string} tag @returns {string} */
function cellRole(el, tag) {
  const table = closest(el, 'table');
  if (!table) return '';
  const tableRole = explicitRole(table);
  if (tableRole === 'none' || tableRole === 'presentation') return 'generic';
  const inGrid = tableRole === 'grid' || tableRole === 'treegrid';
  if (tag === 'td') return inGrid ? 'gridcell' : 'cell';
  const scope = attr(el, 'scope').toLowerCase();
  if (scope === 'row' || scope === 'rowgroup') return 'rowheader';
  if (scope === 'col' || scope === 'colgroup') return 'columnheader';
  return closest(el, 'thead') || !rowHasData(el) ? 'columnheader' : 'rowheader';
}

/** @param {any} th @returns {boolean} its row also has data cells */
function rowHasData(th) {
  for (let node = previousSiblingOf(th); node; node = previousSiblingOf(node)) {
    if (isElement(node) && tagOf(node) === 'td') return true;
  }
  for (let node = nextSiblingOf(th); node; node = nextSiblingOf(node)) {
    if (isElement(node) && tagOf(node) === 'td') return true;
  }
  return false;
}

/** @param {any} el a summary @returns {boolean} the one that opens its details */
function isDetailsSummary(el) {
  const parent = parentNodeOf(el);
  if (!isElement(parent) || tagOf(parent) !== 'details') return false;
  for (let node = previousSiblingOf(el); node; node = previousSiblingOf(node)) {
    if (isElement(node) && tagOf(node) === 'summary') return false;
  }
  return true;
}
