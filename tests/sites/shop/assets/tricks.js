// The script of the hostile twins. One trick is played, in one variant, both named by the element that loads it.
(() => {
  const { trick, variant, earlyMs, times, order, csrf: csrfField, product: productField } = document.currentScript.dataset;
  const token = document.body.dataset.csrf;
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const skuOf = (carrier) => carrier.dataset.carrier || carrier.value;
  const orderFields = (sku) => new URLSearchParams({ [csrfField]: token, [productField]: sku });
  const orderNow = (sku) => fetch(order, { method: 'POST', body: orderFields(sku) });

  // Every row takes the contents of the next one, in the nodes it already has.
  const rotate = (text) => {
    const rows = all('[data-row]').filter((row) => row.querySelector('[data-carrier]'));
    if (rows.length < 2) return;
    const turn = (read, write) => {
      const values = rows.map(read);
      rows.forEach((row, place) => write(row, values[(place + 1) % rows.length]));
    };
    turn((row) => skuOf(row.querySelector('[data-carrier]')), (row, sku) => {
      const carrier = row.querySelector('[data-carrier]');
      if (carrier.dataset.carrier) carrier.dataset.carrier = sku;
      else carrier.value = sku;
    });
    if (!text) return;
    for (const part of ['name', 'price']) {
      const node = (row) => row.querySelector(`[data-part="${part}"]`).firstChild;
      turn((row) => node(row).data, (row, value) => { node(row).data = value; });
    }
    const link = (row) => row.querySelector('[data-part="name"]');
    turn((row) => link(row).href, (row, href) => { link(row).href = href; });
  };

  const rows = () => {
    let done = false;
    let pressed = 0;
    // One press makes several of these events; it is to swap the rows once only.
    const swap = (where) => (event) => {
      const again = event.timeStamp - pressed < 250 && variant !== 'hover';
      if (!event.target.closest?.(where) || again || (done && times === 'once')) return;
      pressed = event.timeStamp;
      done = true;
      rotate(variant !== 'carrier');
    };
    const events = { press: ['pointerdown', 'keydown'], carrier: ['pointerdown', 'keydown'], focus: ['mousedown', 'focusin'], click: ['click'] };
    for (const name of events[variant] ?? []) addEventListener(name, swap('[data-row]'), true);
    if (variant === 'hover') addEventListener('pointerover', swap('[data-press], [data-row] form'), true);
    if (variant === 'timer') setInterval(() => rotate(true), 700);
    if (Number(earlyMs) > 0) setTimeout(() => rotate(true), Number(earlyMs));
  };

  const coverForm = (sku) => {
    const form = document.createElement('form');
    form.method = 'post';
    form.action = order;
    for (const [name, value] of orderFields(sku)) {
      const field = document.createElement('input');
      Object.assign(field, { type: 'hidden', name, value });
      form.append(field);
    }
    const button = document.createElement('button');
    button.textContent = 'Buy now';
    button.tabIndex = -1;
    button.style.cssText = 'position:absolute;inset:0;width:100%;height:100%;opacity:0';
    form.append(button);
    return form;
  };

  const layCover = (press) => {
    const sku = skuOf(press.querySelector('[data-carrier]'));
    press.style.position = 'relative';
    const cover = variant === 'script' ? document.createElement('div') : coverForm(sku);
    const inset = variant === 'centre' ? '35% 40%' : '0';
    cover.style.cssText = `position:absolute;inset:${inset};z-index:5`;
    if (variant === 'script') cover.addEventListener('click', () => orderNow(sku));
    if (variant === 'hover') {
      cover.style.display = 'none';
      press.addEventListener('pointerover', () => { cover.style.display = 'block'; });
      press.addEventListener('pointerleave', () => { cover.style.display = 'none'; });
    }
    press.append(cover);
  };

  const cover = () => {
    const presses = all('[data-press]');
    if (variant !== 'list') {
      presses.forEach(layCover);
      return;
    }
    const list = presses[0]?.closest('ul, table, section');
    if (!list) return;
    const box = list.getBoundingClientRect();
    const sheet = coverForm(skuOf(presses[0].querySelector('[data-carrier]')));
    sheet.style.cssText = `position:absolute;z-index:5;left:${box.left + scrollX}px;top:${box.top + scrollY}px;width:${box.width}px;height:${box.height}px`;
    document.documentElement.append(sheet);
  };

  const otherSku = (sku) => all('[data-carrier]').map(skuOf).find((other) => other !== sku) ?? '1085';
  const addForm = (form) => form.matches?.('[data-press] form');

  const changeForms = () => {
    const carrierOf = (form) => form.querySelector('[data-carrier]');
    addEventListener('submit', (event) => {
      const form = event.target;
      if (!addForm(form)) return;
      if (variant === 'action') form.action = order;
      if (variant === 'beacon') navigator.sendBeacon(order, orderFields(skuOf(carrierOf(form))));
      if (variant === 'fetch') {
        event.preventDefault();
        orderNow(skuOf(carrierOf(form)));
      }
      if (variant === 'otherform') {
        event.preventDefault();
        const other = coverForm(skuOf(carrierOf(form)));
        other.hidden = true;
        document.body.append(other);
        other.requestSubmit();
      }
    }, true);
    addEventListener('formdata', (event) => {
      if (variant !== 'formdata' || !addForm(event.target)) return;
      event.formData.set(productField, otherSku(event.formData.get(productField)));
    }, true);
    addEventListener('click', (event) => {
      const button = event.target.closest?.('[data-press] form [type="submit"]');
      if (variant === 'formaction' && button) button.formAction = order;
    }, true);
  };

  // Where the shop adds by script there is no form to change; what is sent is changed in `fetch` itself.
  const changeFetch = () => {
    const send = window.fetch;
    window.fetch = (target, options) => {
      if (target !== document.body.dataset.addPath) return send(target, options);
      const said = JSON.parse(options.body);
      const sku = said[productField];
      if (variant === 'beacon') navigator.sendBeacon(order, orderFields(sku));
      if (variant === 'beacon') return send(target, options);
      if (variant !== 'formdata') return send(order, options);
      return send(target, { ...options, body: JSON.stringify({ ...said, [productField]: otherSku(sku) }) });
    };
  };

  const alerts = () => {
    const loud = (name) => variant === 'all' || variant === name;
    if (loud('load')) {
      setTimeout(() => { for (let count = 0; count < 4; count += 1) alert('Your session is about to end. Press OK.'); }, 60);
      setTimeout(() => { for (let count = 0; count < 6 && !confirm('Stay with us?'); count += 1); }, 400);
      setInterval(() => alert('Are you still there?'), 2500);
    }
    if (loud('click')) {
      addEventListener('click', (event) => {
        alert('Please read this first.');
        if (!confirm('Do you really mean it?') && variant === 'all') {
          event.preventDefault();
          event.stopImmediatePropagation();
        }
        prompt('Why?', '');
      }, true);
    }
    if (loud('leave')) {
      addEventListener('beforeunload', (event) => {
        event.preventDefault();
        event.returnValue = 'stay';
      });
    }
  };

  const play = { rows, cover, submit: () => { changeForms(); changeFetch(); }, alert: alerts }[trick];
  if (play) play();
})();
