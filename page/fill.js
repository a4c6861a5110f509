// Setting values that no key or click can set well, and reading back what was done.

const focusElement = HTMLElement.prototype.focus;
const selectInput = HTMLInputElement.prototype.select;
const selectTextarea = HTMLTextAreaElement.prototype.select;
const setInputValue = setterOf(HTMLInputElement.prototype, 'value');
const setOptionSelected = setterOf(HTMLOptionElement.prototype, 'selected');
const setSelectedIndex = setterOf(HTMLSelectElement.prototype, 'selectedIndex');
const dispatch = EventTarget.prototype.dispatchEvent;
const SET_TYPES = new Set(['date', 'time', 'month', 'week', 'datetime-local', 'color', 'range']);

/** @param {number} key @returns {{ok: boolean, why: string}} focused, with its whole content selected */
function focusField(key) {
  const el = elementFor(key);
  if (!el) return { ok: false, why: 'gone' };
  return inPass(() => {
    if (isDisabled(el)) return { ok: false, why: 'disabled' };
    if (!isHtml(el)) return { ok: false, why: 'kind' };
    focusElement.call(el, { preventScroll: true });
    if (!isConnected(el)) return { ok: false, why: 'gone' };
    if (!hasFocus(el)) return { ok: false, why: 'focus' };
    selectAll(el);
    return { ok: true, why: '' };
  });
}

/**
 * Sets the latch, focuses the field and selects what it holds.
 * @param {number} key @param {Meaning} bound @param {'type' | 'enter' | 'key'} mode @param {Place | null} [told]
 * @returns {any} as arm, and whether it has the focus
 */
function take(key, bound, mode, told) {
  const armed = arm(key, bound, mode, told);
  if (!armed.ok) return armed;
  // A key goes to the widget that has the focus already: giving it the focus would be another act.
  return { ...armed, focus: mode === 'key' ? { ok: isFocused(elementFor(key)), why: 'focus' } : focusField(key) };
}

/** Takes the latch off and reads the field. @param {number} key @param {number} length @returns {any} */
function letGo(key, length) {
  disarm();
  return readBack(key, length);
}

const editByCommand = Document.prototype.execCommand;

/**
 * Compares the meaning, then puts text into the field as one edit that replaces the selection. No script of the page runs
 * between the comparison and the edit, and being bound to the document it cannot land in one that replaced it meanwhile.
 * An edit by command gives the page its `input` event and no `beforeinput`, so the latch has nothing to see here.
 * @param {number} key @param {Meaning} bound @param {string} text
 * @returns {{ok: boolean, why: string, detail: string}}
 */
function insertText(key, bound, text) {
  const { el, refusal } = inPass(() => boundElement(key, bound));
  if (!el) return refusal;
  if (!inPass(() => hasFocus(el))) return refused('focus', '');
  const doc = focusedDocument();
  const done = text === '' ? editByCommand.call(doc, 'delete') || true : editByCommand.call(doc, 'insertText', false, text);
  return done ? { ok: true, why: '', detail: '' } : refused('value', '');
}

/** @returns {Document} the innermost one that has the focus */
function focusedDocument() {
  let doc = document;
  for (let depth = 0; depth < FRAMES_MAX; depth++) {
    const holder = activeInDocument(doc);
    const inner = holder && tagOf(holder).endsWith('frame') ? documentIn(holder) : null;
    if (!inner) break;
    doc = inner;
  }
  return doc;
}

/** @param {number} key @param {Meaning} bound @param {string} text @param {Place | null} [told] @returns {any} take, then insertText if it has the focus */
function typeInto(key, bound, text, told) {
  const taken = take(key, bound, 'type', told);
  return taken.ok && taken.focus.ok ? { ...taken, inserted: insertText(key, bound, text) } : taken;
}

/** @param {any} el */
function selectAll(el) {
  const tag = tagOf(el);
  if (tag === 'input') selectInput.call(el);
  else if (tag === 'textarea') selectTextarea.call(el);
  else if (isHtml(el) && isContentEditable(el)) defaultViewOf(ownerDocumentOf(el)).getSelection().selectAllChildren(el);
}

/** @param {number} key @param {Meaning} bound @returns {{el: any, refusal: any}} */
function boundElement(key, bound) {
  const el = elementFor(key);
  if (!el) return { el: null, refusal: refused('gone', '') };
  if (isDisabled(el)) return { el: null, refusal: refused('disabled', '') };
  const part = difference(meaningOf(el), bound);
  return part ? { el: null, refusal: refused('stale', part) } : { el, refusal: null };
}

/**
 * @param {number} key @param {Meaning} bound @param {number} index @param {string} label
 * @returns {{ok: boolean, why: string, detail: string}}
 */
function choose(key, bound, index, label) {
  return inPass(() => {
    const { el, refusal } = boundElement(key, bound);
    if (!el) return refusal;
    if (tagOf(el) !== 'select') return refused('kind', localNameOf(el));
    const option = selectOptionsOf(el)[index];
    if (!option) return refused('stale', 'option');
    if (cut(optionLabel(option), 200) !== label) return refused('stale', 'option');
    if (matches(option, ':disabled')) return refused('disabled', 'option');
    if (selectMultiple(el)) setOptionSelected(option, true);
    else setSelectedIndex(el, index);
    announce(el);
    return { ok: true, why: '', detail: '' };
  });
}

/** @param {any} el tells the page of a new value, as a person's choice does */
function announce(el) {
  for (const type of ['input', 'change']) dispatch.call(el, new Event(type, { bubbles: true, composed: type === 'input' }));
}

/** @param {number} key @param {Meaning} bound @param {string} value @returns {{ok: boolean, why: string, detail: string}} */
function setValue(key, bound, value) {
  return inPass(() => {
    const { el, refusal } = boundElement(key, bound);
    if (!el) return refusal;
    if (tagOf(el) !== 'input' || !SET_TYPES.has(inputTypeOf(el))) return refused('kind', fieldTypeOf(el));
    const before = inputValueOf(el);
    setInputValue(el, value);
    if (inputValueOf(el) === '' && value !== '') {
      setInputValue(el, before);
      return refused('value', inputTypeOf(el));
    }
    announce(el);
    return { ok: true, why: '', detail: '' };
  });
}

/** @param {number} key @param {Meaning} bound @returns {{ok: boolean, why: string, detail: string}} a file can be put into it */
function attachable(key, bound) {
  return inPass(() => {
    const { el, refusal } = boundElement(key, bound);
    if (!el) return refusal;
    return tagOf(el) === 'input' && inputTypeOf(el) === 'file' ? { ok: true, why: '', detail: '' } : refused('kind', fieldTypeOf(el));
  });
}

/** @param {number} key @param {Meaning} bound @returns {any} the element itself, for DevTools to put a file in; null unless attachable */
function fileField(key, bound) {
  return attachable(key, bound).ok ? elementFor(key) : null;
}

const filesOf = getterOf(HTMLInputElement.prototype, 'files');

/** @param {number} key @returns {{gone: boolean, files: Array<{name: string, size: number}>}} what a file field holds */
function attached(key) {
  const el = elementFor(key);
  if (!el) return { gone: true, files: [] };
  const files = tagOf(el) === 'input' && inputTypeOf(el) === 'file' ? Array.from(filesOf(el) || []).slice(0, 100) : [];
  return { gone: false, files: files.map((/** @type {File} */ file) => ({ name: file.name, size: file.size })) };
}

/** @param {number} key @param {number} length characters to return at most @returns {any} */
function readBack(key, length) {
  const el = elementFor(key);
  if (!el) return { gone: true };
  return inPass(() => {
    const secret = isSecretInput(el);
    const value = fieldTypeOf(el) && inputTypeIsReadable(el) ? fieldValue(el) : null;
    return {
      value: secret || value === null ? null : cut(value, length), filled: isFilled(el), length: value === null ? 0 : Array.from(value).length,
      checked: checkedState(el), selected: tagOf(el) === 'select' ? chosenLabels(el) : [], expanded: expandedState(el),
      focused: hasFocus(el),
    };
  });
}

/** @param {any} el @returns {boolean} */
function inputTypeIsReadable(el) {
  return fieldTypeOf(el) !== 'file';
}
