// Drives a page in headless Chromium: node drive_page.mjs JOB.json, with playwright-core in the folder that the job names.
// A job has a page (file://…), a size, a colour scheme and steps; printed are the steps' answers, what the console said, and every
// request that left the page.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const job = JSON.parse(readFileSync(process.argv[2], "utf8"));
const { chromium } = createRequire(join(job.packages, "package.json"))("playwright-core");

const browser = await chromium.launch({
  executablePath: job.chromium,
  args: ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist", "--disable-dev-shm-usage"],
});
const context = await browser.newContext({
  viewport: { width: job.width, height: job.height },
  colorScheme: job.scheme,
  hasTouch: job.width < 600,
  deviceScaleFactor: job.ratio ?? 1,
  offline: true,
});
const page = await context.newPage();
const told = { answers: [], errors: [], requests: [] };
page.on("console", (message) => {
  if (["error", "warning"].includes(message.type()) && !/GPU stall due to ReadPixels|Automatic fallback to software WebGL/.test(message.text())) {
    told.errors.push(message.text());
  }
});
page.on("pageerror", (error) => told.errors.push(String(error)));
page.on("dialog", async (dialog) => {
  told.errors.push(`dialog: ${dialog.message()}`);
  await dialog.dismiss();
});
page.on("request", (request) => {
  if (!/^(data|blob):/.test(request.url()) && request.url() !== job.page) told.requests.push(request.url());
});

if (job.before) await page.addInitScript(job.before);
await page.goto(job.page, { waitUntil: "load" });
await page.waitForFunction("window.zoophyte !== undefined", null, { timeout: job.patience });
await page.evaluate("window.zoophyte.ready");
for (const step of job.steps) {
  if (step.ask) told.answers.push(await page.evaluate(step.ask));
  else if (step.until) await page.waitForFunction(step.until, null, { timeout: job.patience });
  else if (step.press) await page.keyboard.press(step.press);
  else if (step.click) await page.click(step.click, { timeout: job.patience });
  else if (step.tap) await page.tap(step.tap, { timeout: job.patience });
  else if (step.drag) {
    const [x, y, toX, toY] = step.drag;
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(toX, toY, { steps: 4 });
    await page.mouse.up();
  } else if (step.picture) await page.screenshot({ path: step.picture });
  else throw new Error(`unknown step ${JSON.stringify(step)}`);
}
await browser.close();
console.log(JSON.stringify(told));
