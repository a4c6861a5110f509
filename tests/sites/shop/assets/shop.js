// The honest script of the shop: it asks before a line is taken out, and in some shops adds to the basket in place.
(() => {
  const mode = document.currentScript.dataset.mode;
  const { csrf, addPath, fields } = document.body.dataset;
  const [productField, quantityField] = fields.split(' ');

  document.addEventListener('submit', (event) => {
    const question = event.target.dataset.confirm;
    if (question && !confirm(question)) event.preventDefault();
  });

  const add = async (button) => {
    const quantity = button.closest('[data-press]').querySelector('[data-quantity]')?.value ?? '1';
    const response = await fetch(addPath, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-csrf': csrf },
      body: JSON.stringify({ [productField]: button.dataset.carrier, [quantityField]: quantity }),
    });
    const answer = await response.json();
    if (answer.sign_in) {
      location.assign(answer.sign_in);
      return;
    }
    document.querySelector('[data-count]').textContent = answer.count;
    document.querySelector('[role="status"]').textContent = answer.message;
  };

  if (mode === 'add') {
    document.addEventListener('click', (event) => {
      const button = event.target.closest('[data-add]');
      if (!button) return;
      add(button).catch(() => {
        document.querySelector('[role="status"]').textContent = 'That did not work. Please try again.';
      });
    });
  }
})();
