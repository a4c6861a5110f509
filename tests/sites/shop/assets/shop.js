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

  document.addEventListener('click', (event) => {
    event.target.closest('[data-request-submit]')?.form.requestSubmit();
  });

  // The same body as the form's own submit would send; the answer's page is opened, or its message shown.
  const sendByFetch = async (form) => {
    const response = await fetch(form.action, { method: 'POST', body: new URLSearchParams(new FormData(form)) });
    if (response.redirected) location.assign(response.url);
    else document.querySelector('[role="status"]').textContent = 'Wrong email or password';
  };

  document.addEventListener('submit', (event) => {
    if (!('byFetch' in event.target.dataset)) return;
    event.preventDefault();
    sendByFetch(event.target).catch(() => {
      document.querySelector('[role="status"]').textContent = 'That did not work. Please try again.';
    });
  });

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
