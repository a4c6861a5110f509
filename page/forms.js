// What a field holds and what a form would send. A secret's value is never read, only whether there is one.

const formActionOf = getterOf(HTMLFormElement.prototype, 'action');
const formMethodOf = getterOf(HTMLFormElement.prototype, 'method');
const formEnctypeOf = getterOf(HTMLFormElement.prototype, 'enctype');
const formElementsOf = getterOf(HTMLFormElement.prototype, 'elements');
const buttonTypeOf = getterOf(HTMLButtonElement.prototype, 'type');

const FORM_OWNERS = new Map([
  ['button', getterOf(HTMLButtonElement.prototype, 'form')],
  ['input', getterOf(HTMLInputElement.prototype, 'form')],
  ['select', getterOf(HTMLSelectElement.prototype, 'form')],
  ['textarea', getterOf(HTMLTextAreaElement.prototype, 'form')],
  ['output', getterOf(HTMLOutputElement.prototype, 'form')],
  ['fieldset', getterOf(HTMLFieldSetElement.prototype, 'form')],
  ['object', getterOf(HTMLObjectElement.prototype, 'form')],
]);

const OVERRIDES = new Map([
  ['button', {
    action: getterOf(HTMLButtonElement.prototype, 'formAction'), method: getterOf(HTMLButtonElement.prototype, 'formMethod'),
    enctype: getterOf(HTMLButtonElement.prototype, 'formEnctype'),
  }],
  ['input', {
    action: getterOf(HTMLInputElement.prototype, 'formAction'), method: getterOf(HTMLInputElement.prototype, 'formMethod'),
    enctype: getterOf(HTMLInputElement.prototype, 'formEnctype'),
  }],
]);

const SECRET_AUTOCOMPLETE = /^(current-password|new-password|one-time-code|cc-.+)$/;
const innerTextOf = getterOf(HTMLElement.prototype, 'innerText');
const FIELDS_MAX = 100;
const FIELD_CHARS_MAX = 100;
const URL_CHARS_MAX = 8192;

/** @param {any} el @returns {boolean} a field whose value must not be read */
function isSecretInput(el) {
  const tag = tagOf(el);
  if (tag === 'input' && inputTypeOf(el) === 'password') return true;
  if (tag !== 'input' && tag !== 'textarea' && tag !== 'select') return false;
  if (wasPassword.has(el)) return true;
  return attr(el, 'autocomplete').toLowerCase().split(/\s+/).some((token) => SECRET_AUTOCOMPLETE.test(token));
}

// A "show password" button turns a password field into a text field; the secret stays one.
const wasPassword = new WeakSet();

/** @param {any} el */
function noteSecret(el) {
  if (tagOf(el) === 'input' && inputTypeOf(el) === 'password') wasPassword.add(el);
}

/** @param {any} el @returns {Element | null} its form owner */
function formOf(el) {
  if (!isHtml(el)) return null;
  const owner = FORM_OWNERS.get(localNameOf(el));
  return owner ? owner(el) : null;
}

/** @param {any} el @returns {boolean} pressing it submits its form */
function isSubmitter(el) {
  const tag = tagOf(el);
  if (tag === 'button') return buttonTypeOf(el) === 'submit' && formOf(el) !== null;
  if (tag !== 'input') return false;
  const type = inputTypeOf(el);
  return (type === 'submit' || type === 'image') && formOf(el) !== null;
}

/** @param {any} form @returns {Element | null} the button that Enter in a field presses */
function defaultButton(form) {
  return remember('defaultButton', form, () => {
    const elements = formElementsOf(form);
    for (let i = 0; i < elements.length && i < 2000; i++) if (isSubmitter(elements[i])) return elements[i];
    // Image buttons are not among a form's elements.
    for (const image of queryAll(rootOf(form), 'input[type=image]')) if (formOf(image) === form) return image;
    return null;
  });
}

/**
 * Where activating this control would send its form.
 * @param {any} el
 * @returns {{form: any, action: string, method: string, enctype: string, target: string} | null}
 */
function submissionOf(el) {
  const form = formOf(el);
  if (!form) return null;
  const by = isSubmitter(el) ? el : defaultButton(form);
  const override = by ? OVERRIDES.get(localNameOf(by)) : undefined;
  const own = (/** @type {string} */ name, /** @type {((node: any) => any) | undefined} */ read, /** @type {(node: any) => any} */ fallback) =>
    (read && hasAttr(by, name) ? read(by) : fallback(form));
  return {
    form,
    action: cut(own('formaction', override?.action, formActionOf), URL_CHARS_MAX),
    method: own('formmethod', override?.method, formMethodOf),
    enctype: own('formenctype', override?.enctype, formEnctypeOf),
    target: cut(tidy(own('formtarget', override && ((node) => attr(node, 'formtarget')), (node) => attr(node, 'target')) || baseTarget(el)), FIELD_CHARS_MAX),
  };
}

/** @param {any} el @returns {string} the document's default target */
function baseTarget(el) {
  return remember('baseTarget', ownerDocumentOf(el), (doc) => {
    const base = queryAll(doc, 'base[target]')[0];
    return base ? attr(base, 'target') : '';
  });
}

/** @param {any} el @returns {any} the form as listed with a control, null without one */
function formRecord(el) {
  const sent = submissionOf(el);
  if (!sent) return null;
  return {
    key: keyFor(sent.form), action: sent.action, method: sent.method, enctype: sent.enctype, target: sent.target,
    name: cut(tidy(nameOf(sent.form) || attr(sent.form, 'name') || attr(sent.form, 'id')), FIELD_CHARS_MAX),
    fields: remember('fields', sent.form, fieldRecords),
  };
}

const CARRIED_CHARS_MAX = 4000;
const HIDDEN_CHARS_MAX = 4000;

/**
 * What the person does not see and the form would send: hidden values, and the submitter's own. A row can keep its text while
 * the product in its hidden field is exchanged, so this is part of what a control means.
 * @param {any} el @returns {string}
 */
function carriedBy(el) {
  const form = formOf(el);
  if (!form) return '';
  const own = isSubmitter(el) ? `${attr(el, 'name')}=${attr(el, 'value')}` : '';
  return cut(`${own}&${remember('carried', form, hiddenValues)}`, CARRIED_CHARS_MAX);
}

/** @param {any} form @returns {string} */
function hiddenValues(form) {
  const elements = formElementsOf(form);
  const pairs = [];
  for (let i = 0; i < elements.length && pairs.length < FIELDS_MAX; i++) {
    const el = elements[i];
    if (fieldTypeOf(el) === 'hidden') pairs.push(`${attr(el, 'name')}=${inputValueOf(el).slice(0, 1000)}`);
  }
  return pairs.join('&');
}

/** @param {any} form @returns {any[]} */
function fieldRecords(form) {
  const elements = formElementsOf(form);
  const records = [];
  for (let i = 0; i < elements.length && records.length < FIELDS_MAX; i++) {
    const el = elements[i];
    const type = fieldTypeOf(el);
    if (!type || type === 'button' || type === 'submit' || type === 'reset' || type === 'image') continue;
    const hidden = type === 'hidden';
    const unread = hidden || type === 'file' || isSecretInput(el);
    const value = unread ? null : cut(tidy(fieldValue(el).slice(0, 1000)), FIELD_CHARS_MAX);
    // A hidden value is compared with what is sent later; outside the browser's own process it is a digest.
    const sends = hidden ? cut(inputValueOf(el), HIDDEN_CHARS_MAX) : null;
    records.push({
      name: cut(tidy(attr(el, 'name')), FIELD_CHARS_MAX), type, hidden, filled: isFilled(el), value, sends,
      autocomplete: cut(tidy(attr(el, 'autocomplete')), FIELD_CHARS_MAX),
    });
  }
  return records;
}

/** @param {any} el @returns {string} an input's type, or textarea, select, contenteditable, or "" */
function fieldTypeOf(el) {
  const tag = tagOf(el);
  if (tag === 'input') return inputTypeOf(el);
  if (tag === 'textarea' || tag === 'select') return tag;
  return isEditingHost(el) ? 'contenteditable' : '';
}

/** @param {any} el @returns {string} what it holds now; call it for no secret */
function fieldValue(el) {
  const tag = tagOf(el);
  if (tag === 'input') return inputValueOf(el);
  if (tag === 'textarea') return textareaValueOf(el);
  if (tag === 'select') return chosenLabels(el).join(', ');
  if (isEditingHost(el)) return innerTextOf(el);
  return '';
}

/** @param {any} el a select @returns {string[]} labels of the chosen options */
function chosenLabels(el) {
  const labels = [];
  const options = selectOptionsOf(el);
  for (let i = 0; i < options.length && i < 5000; i++) if (optionSelected(options[i])) labels.push(optionLabel(options[i]));
  return labels;
}

const optionLabelOf = getterOf(HTMLOptionElement.prototype, 'label');

/** @param {any} option @returns {string} */
function optionLabel(option) {
  return tidy((optionLabelOf(option) || optionTextOf(option)).slice(0, 1000));
}

const checkedOf = getterOf(HTMLInputElement.prototype, 'checked');
const selectValueOf = getterOf(HTMLSelectElement.prototype, 'value');

/** @param {any} el @returns {boolean} holds something; known for secrets too */
function isFilled(el) {
  const tag = tagOf(el);
  if (tag === 'input') {
    const type = inputTypeOf(el);
    return type === 'checkbox' || type === 'radio' ? checkedOf(el) : inputValueOf(el) !== '';
  }
  if (tag === 'textarea') return textareaValueOf(el) !== '';
  if (tag === 'select') return selectValueOf(el) !== '';
  return isEditingHost(el) && tidy(textContentOf(el).slice(0, 2000)) !== '';
}
