// The one global of the isolated world. A second run of the script keeps the first one's numbering of elements.

/** @type {any} */ (globalThis).clicketPage ??= {
  observe, framePlace, shield, arm, take, letGo, typeInto, insertText, disarm, meaning, focusField, choose, setValue, attachable, fileField,
  attached, readBack, quiet, asSeen, visibleText, boxesToHide, scroll, element: elementFor,
  name: (/** @type {any} */ el) => inPass(() => nameOf(el)),
  role: (/** @type {any} */ el) => inPass(() => roleOf(el)),
};
