// Does one thing with playwright-core for each line of standard input and says how long it took, as the library's user sees it.
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';

let browser;
let page;

const timed = async (work) => {
  const started = performance.now();
  const value = await work();
  return { ms: performance.now() - started, value };
};

const does = {
  async launch({ package: folder, binary, arguments: args }) {
    const { chromium } = createRequire(folder + '/')('./index.js');
    browser = await chromium.launch({ executablePath: binary, headless: true, chromiumSandbox: true, ignoreDefaultArgs: args.length > 0, args });
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
    page = await context.newPage();
    return { version: browser.version() };
  },
  async open({ url }) {
    await page.goto(url);
    return {};
  },
  async snapshot({ mode }) {
    const { ms, value } = await timed(() => page.ariaSnapshot({ mode }));
    return { ms, chars: value.length };
  },
  async click({ selector, role, name }) {
    const target = selector ? page.locator(selector) : page.getByRole(role, { name, exact: true });
    const { ms } = await timed(() => target.click());
    return { ms };
  },
  async said() {
    return { said: await page.locator('#said').textContent() };
  },
  async close() {
    await browser.close();
    return {};
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const what = JSON.parse(line);
  let answer;
  try {
    answer = await does[what.do](what);
  } catch (error) {
    answer = { error: String(error.message).slice(0, 2000) };
  }
  process.stdout.write(JSON.stringify(answer) + '\n');
  if (what.do === 'close') process.exit(0);
}
