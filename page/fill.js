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
