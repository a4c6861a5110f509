// The one global of the isolated world.

globalThis.clicketPage = {
  observe, arm, disarm, meaning, focusField, choose, setValue, readBack, quiet, visibleText, boxesToHide,
  name: (/** @type {any} */ el) => inPass(() => nameOf(el)),
  role: (/** @type {any} */ el) => inPass(() => roleOf(el)),
};
