// Accessible names after accname 1.2 with the host rules of HTML-AAM.

/**
 * How a text alternative is being asked for.
 * @typedef {object} Asking
 * @property {any} origin the element whose name is wanted
 * @property {Set<any>} visited
 * @property {'self' | 'label' | 'labelledby' | 'content'} how
 * @property {boolean} inReference inside an aria-labelledby or label traversal
 * @property {boolean} hiddenToo the referenced root was hidden, so that hidden nodes count
 * @property {number} depth
 * @property {{left: number}} budget nodes that may still be read
 */

const NAME_DEPTH_MAX = 300;
const NAME_NODES_MAX = 5000;

/** @param {any} el @returns {string} accessible name, ASCII white space collapsed */
function nameOf(el) {
  const known = pass.names.get(el);
  if (known !== undefined) return known;
  // What is not rendered has no name, but for a box or radio that its label draws.
  const named = isCheckable(el) || !isUnrendered(el);
  const name = named ? collapse(alternative(el, freshAsking(el))) : '';
  pass.names.set(el, name);
  return name;
}

/** @param {any} origin @returns {Asking} */
function freshAsking(origin) {
  return { origin, visited: new Set(), how: 'self', inReference: false, hiddenToo: false, depth: 0, budget: { left: NAME_NODES_MAX } };
}

/** @param {any} el @returns {string} accessible description from aria-describedby, aria-description or an unused title */
function descriptionOf(el) {
  const refs = idRefs(el, 'aria-describedby');
  if (refs.length) return collapse(refs.map((ref) => referenced(ref, freshAsking(el), 'labelledby')).join(' '));
  const described = collapse(attr(el, 'aria-description'));
  if (described) return described;
  const title = collapse(attr(el, 'title'));
  return title && title !== nameOf(el) ? title : '';
}

/** @param {any} el @param {Asking} ask @returns {string} */
function alternative(el, ask) {
  if (ask.visited.has(el) || ask.depth > NAME_DEPTH_MAX || --ask.budget.left < 0) return '';
  if (!ask.hiddenToo && ask.how !== 'self' && isHiddenForName(el)) {
    ask.visited.add(el);
    return '';
  }
  if (!ask.inReference || ask.how === 'label') {
    const byRefs = fromLabelledBy(el, ask);
    if (byRefs) return byRefs;
  }
  const role = roleOf(el);
  if (ask.how !== 'self' && el !== ask.origin) {
    const value = embeddedValue(el, role, ask);
    if (value !== null && (value || ask.how === 'content')) {
      ask.visited.add(el);
      return value;
    }
  }
  ask.visited.add(el);
  const label = attr(el, 'aria-label');
  if (collapse(label)) return label;
  const decorated = explicitRole(el) === 'none' || explicitRole(el) === 'presentation';
  if (!decorated || keepsRole(el)) {
    const native = nativeAlternative(el, ask);
    if (native !== null) return native;
  }
  const content = readsContent(el, role, ask) ? contentText(el, ask) : '';
  if (collapse(content)) return content;
  // A space in a nested element still parts the words around it.
  return (decorated && !keepsRole(el) ? '' : collapse(attr(el, 'title'))) || content;
}

/** @param {any} el @returns {boolean} */
function isHiddenForName(el) {
  if (attr(el, 'aria-hidden') === 'true') return true;
  const tag = tagOf(el);
  return tag === 'script' || tag === 'style' || tag === 'template' || tag === 'noscript' || isUnrendered(el);
}

/** @param {any} el @returns {boolean} it has no box, for another reason than being part of a closed select or an image map */
function isUnrendered(el) {
  const tag = tagOf(el);
  // An option of a closed select has no box but is text of it.
  if (tag === 'option' || tag === 'optgroup') return styleOf(el).display === 'none';
  return !hasBox(el);
}

/** @param {any} el @param {Asking} ask @returns {string} */
function fromLabelledBy(el, ask) {
  const refs = idRefs(el, 'aria-labelledby');
  if (!refs.length) return '';
  const parts = refs.map((ref) => referenced(ref, ask, 'labelledby'));
  return collapse(parts.join(' '));
}

/** @param {any} ref @param {Asking} ask @param {'label' | 'labelledby'} how @returns {string} */
function referenced(ref, ask, how) {
  const hidden = !isRendered(ref) || isAriaHidden(ref);
  return alternative(ref, { ...ask, visited: new Set(ask.visited), how, inReference: true, hiddenToo: hidden, depth: ask.depth + 1 });
}

const RANGE_ROLES = new Set(['slider', 'spinbutton', 'progressbar', 'scrollbar', 'meter']);
const inputValueOf = getterOf(HTMLInputElement.prototype, 'value');
const textareaValueOf = getterOf(HTMLTextAreaElement.prototype, 'value');
const selectOptionsOf = getterOf(HTMLSelectElement.prototype, 'options');
const optionSelected = getterOf(HTMLOptionElement.prototype, 'selected');
const optionTextOf = getterOf(HTMLOptionElement.prototype, 'text');

/** @param {any} el @param {string} role @param {Asking} ask @returns {string | null} null: not an embedded control */
function embeddedValue(el, role, ask) {
  const tag = tagOf(el);
  if (role === 'menu' || role === 'menubar') return '';
  if (role === 'textbox' || role === 'searchbox' || (tag === 'input' && role === 'combobox')) {
    if (tag === 'input') return isSecretInput(el) ? '' : inputValueOf(el);
    if (tag === 'textarea') return textareaValueOf(el);
    return contentText(el, ask);
  }
  if (role === 'combobox' || role === 'listbox') return chosenText(el, tag, role, ask);
  if (!RANGE_ROLES.has(role)) return null;
  if (hasAttr(el, 'aria-valuetext')) return attr(el, 'aria-valuetext');
  if (hasAttr(el, 'aria-valuenow')) return attr(el, 'aria-valuenow');
  return tag === 'input' ? inputValueOf(el) : attr(el, 'value');
}

/** @param {any} el combobox or listbox @param {string} tag @param {string} role @param {Asking} ask @returns {string} */
function chosenText(el, tag, role, ask) {
  if (tag === 'select') {
    return Array.from(selectOptionsOf(el)).filter((option) => optionSelected(option)).map((option) => optionTextOf(option)).join(' ');
  }
  const lists = role === 'listbox' ? [el] : [el, ...idRefs(el, 'aria-owns'), ...idRefs(el, 'aria-controls')];
  const options = lists.flatMap((list) => Array.from(queryAll(list, '[role=option]')));
  const chosen = options.filter((option) => attr(option, 'aria-selected') === 'true');
  if (chosen.length) return chosen.map((option) => alternative(option, deeper(ask))).join(' ');
  return options.length ? '' : contentText(el, ask);
}

/** @param {Asking} ask @returns {Asking} */
function deeper(ask) {
  return { ...ask, how: 'content', depth: ask.depth + 1 };
}

const BUTTON_DEFAULTS = new Map([['submit', 'Submit'], ['reset', 'Reset']]);

/** @param {any} el @param {Asking} ask @returns {string | null} null: no native text alternative */
function nativeAlternative(el, ask) {
  const tag = tagOf(el);
  switch (tag) {
    case 'input': return inputAlternative(el, ask);
    case 'button': return nonEmpty(labelText(el, ask));
    case 'select': case 'output': case 'meter': case 'progress':
      return nonEmpty(labelText(el, ask));
    case 'textarea': return firstOf([() => labelText(el, ask), () => attr(el, 'title'), () => attr(el, 'placeholder')]);
    case 'fieldset': return fromChild(el, 'legend', ask);
    case 'figure': return fromChild(el, 'figcaption', ask);
    case 'table': return fromChild(el, 'caption', ask) ?? nonEmpty(attr(el, 'title')) ?? nonEmpty(attr(el, 'summary'));
    case 'img': return hasAttr(el, 'alt') && attr(el, 'alt') ? attr(el, 'alt') : (nonEmpty(attr(el, 'title')) ?? '');
    case 'area': return nonEmpty(attr(el, 'alt'));
    case 'optgroup': return nonEmpty(attr(el, 'label'));
    case 'option': return nonEmpty(attr(el, 'label'));
    default: return tag.startsWith('svg:') ? svgAlternative(el) : null;
  }
}

/** @param {string} text @returns {string | null} */
function nonEmpty(text) {
  return collapse(text) ? text : null;
}

/** @param {Array<() => string>} sources @returns {string | null} */
function firstOf(sources) {
  for (const source of sources) {
    const text = source();
    if (collapse(text)) return text;
  }
  return null;
}

/** @param {any} el @param {Asking} ask @returns {string | null} */
function inputAlternative(el, ask) {
  const type = inputTypeOf(el);
  const label = () => labelText(el, ask);
  const title = () => attr(el, 'title');
  if (type === 'button' || type === 'submit' || type === 'reset') {
    const value = () => (hasAttr(el, 'value') ? inputValueOf(el) : BUTTON_DEFAULTS.get(type) || '');
    return firstOf([label, value, title]);
  }
  if (type === 'image') return firstOf([label, () => attr(el, 'alt'), title, () => 'Submit']);
  if (type === 'checkbox' || type === 'radio' || type === 'range' || type === 'color' || type === 'file') return firstOf([label, title]);
  return firstOf([label, title, () => attr(el, 'placeholder')]);
}

/** @param {any} el @returns {Element[]} its label elements */
function labelsOf(el) {
  if (!isHtml(el)) return [];
  const tag = localNameOf(el);
  const labels = LABELED.get(tag);
  if (!labels) return [];
  // The engine searches the whole tree for labels; only an element with an id can have one that is not around it.
  return hasAttr(el, 'id') ? Array.from(labels(el) || []) : labelsAround(el);
}

/** @param {any} el @returns {Element[]} */
function labelsAround(el) {
  const found = [];
  let label = closest(el, 'label');
  for (let steps = 0; label && steps < 4; steps++) {
    if (labelControl(label) === el) found.unshift(label);
    const parent = parentNodeOf(label);
    label = isElement(parent) ? closest(parent, 'label') : null;
  }
  return found;
}

const LABELED = new Map([
  ['input', getterOf(HTMLInputElement.prototype, 'labels')],
  ['button', getterOf(HTMLButtonElement.prototype, 'labels')],
  ['select', getterOf(HTMLSelectElement.prototype, 'labels')],
  ['textarea', getterOf(HTMLTextAreaElement.prototype, 'labels')],
  ['meter', getterOf(HTMLMeterElement.prototype, 'labels')],
  ['progress', getterOf(HTMLProgressElement.prototype, 'labels')],
  ['output', getterOf(HTMLOutputElement.prototype, 'labels')],
]);

/** @param {any} el @param {Asking} ask @returns {string} */
function labelText(el, ask) {
  if (ask.inReference && ask.how !== 'labelledby') return '';
  return labelsOf(el).map((label) => referenced(label, ask, 'label')).join(' ');
}

/** @param {any} el @param {string} tag @param {Asking} ask @returns {string | null} name from a legend, caption or figcaption child */
function fromChild(el, tag, ask) {
  for (let node = firstChildOf(el); node; node = nextSiblingOf(node)) {
    if (isElement(node) && tagOf(node) === tag) {
      return nonEmpty(alternative(node, { ...deeper(ask), inReference: true }));
    }
  }
  return null;
}

/** @param {any} el @returns {string | null} */
function svgAlternative(el) {
  for (let node = firstChildOf(el); node; node = nextSiblingOf(node)) {
    if (isElement(node) && tagOf(node) === 'svg:title') return nonEmpty(textContentOf(node));
  }
  const title = attr(el, 'xlink:title');
  return localNameOf(el) === 'a' ? nonEmpty(title) : null;
}

/** @param {any} el @param {string} role @param {Asking} ask @returns {boolean} */
function readsContent(el, role, ask) {
  if (ask.how !== 'self') return true;
  return NAME_FROM_CONTENT.has(role) || tagOf(el) === 'summary' || tagOf(el) === 'svg:a';
}

/** @param {any} el @param {Asking} ask @returns {string} generated content, text and children, in flat-tree order */
function contentText(el, ask) {
  const inner = deeper(ask);
  let text = generated(el, '::before');
  for (const node of flatChildren(el)) text += nodeText(node, inner, el);
  for (const owned of idRefs(el, 'aria-owns')) text += spaced(owned, alternative(owned, inner));
  return text + generated(el, '::after');
}

/** @param {any} node @param {Asking} ask @param {any} parent @returns {string} */
function nodeText(node, ask, parent) {
  const type = nodeTypeOf(node);
  if (type === TEXT) {
    if (--ask.budget.left < 0) return '';
    const hidden = !ask.hiddenToo && styleOf(parent).visibility !== 'visible';
    return hidden ? '' : dataOf(node).slice(0, ATTRIBUTE_CHARS_MAX);
  }
  if (type !== ELEMENT) return '';
  return spaced(node, alternative(node, ask));
}

/** Blocks stand apart in speech. @param {any} el @param {string} text @returns {string} */
function spaced(el, text) {
  const tag = tagOf(el);
  if (tag === 'br') return ' ';
  const display = styleOf(el).display;
  return display === 'inline' || display === 'contents' || display === '' ? text : ' ' + text + ' ';
}

/** @param {any} el @param {string} pseudo @returns {string} text of generated content, its alternative when it has one */
function generated(el, pseudo) {
  const style = getComputedStyle(el, pseudo);
  const content = style.content;
  if (!content || content === 'none' || content === 'normal') return '';
  if (style.display === 'none' || style.visibility !== 'visible') return '';
  const text = contentValue(content, el);
  return style.display === 'inline' ? text : ' ' + text + ' ';
}

/** @param {string} content a computed `content` value @param {any} el @returns {string} */
function contentValue(content, el) {
  let text = '';
  let alt = null;
  const token = /"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|attr\(([\w-]+)\)|(\/)|[a-z-]+\((?:[^()"]|"(?:[^"\\]|\\.)*")*\)/gi;
  for (const [, double, single, name, slash] of content.matchAll(token)) {
    if (slash) alt = '';
    const piece = double !== undefined ? unescapeCss(double) : single !== undefined ? unescapeCss(single) : name ? attr(el, name) : '';
    if (alt === null) text += piece;
    else alt += piece;
  }
  return alt === null ? text : alt;
}

/** @param {string} text @returns {string} */
function unescapeCss(text) {
  return text.replace(/\\([0-9a-f]{1,6})\s?|\\(.)/gi, (_, hex, plain) => (hex ? codePoint(parseInt(hex, 16)) : plain));
}

/** @param {number} value @returns {string} */
function codePoint(value) {
  return value > 0 && value <= 0x10ffff ? String.fromCodePoint(value) : '\uFFFD';
}
