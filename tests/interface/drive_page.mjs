// Drives a page in headless Chromium: node drive_page.mjs JOB.json, with playwright-core in the folder that the job names.
// A job has a page (file://…, or one that is served here), a size, a colour scheme and steps; printed are the steps' answers, the pixels of pictures, what the
// console said, and every request that left the page.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const job = JSON.parse(readFileSync(process.argv[2], "utf8"));
const { chromium } = createRequire(join(job.packages, "package.json"))("playwright-core");

const browser = await chromium.launch({
  executablePath: job.chromium,
  // The page around the drawing is put together without the simulated GPU, which is slow at it.
  args: [
    "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist", "--disable-dev-shm-usage",
    "--disable-gpu-compositing", "--disable-gpu-rasterization",
  ],
});
const context = await browser.newContext({
  viewport: { width: job.width, height: job.height },
  colorScheme: job.scheme,
  hasTouch: job.width < 600,
  deviceScaleFactor: job.ratio ?? 1,
  offline: !job.served,
});
const page = await context.newPage();
const told = { answers: [], pictures: [], errors: [], requests: [] };
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

// The page's own policy forbids it to evaluate texts, so waiting is done from here.
async function until(expression) {
  for (const end = Date.now() + job.patience; ; await new Promise((done) => setTimeout(done, 50))) {
    if (await page.evaluate(expression)) return;
    if (Date.now() > end) throw new Error(`waited in vain for: ${expression}`);
  }
}

/** Takes a screenshot; another tab of the browser unpacks it. */
async function pictured(path) {
  const png = await page.screenshot({ path, timeout: job.patience });
  const tab = await context.newPage();
  const pixels = await tab.evaluate(async (data) => {
    const image = new Image();
    image.src = data;
    await image.decode();
    const canvas = Object.assign(document.createElement("canvas"), { width: image.width, height: image.height });
    const paint = canvas.getContext("2d");
    paint.drawImage(image, 0, 0);
    const bytes = paint.getImageData(0, 0, image.width, image.height).data;
    let letters = "";
    for (let n = 0; n < bytes.length; n += 8192) letters += String.fromCharCode(...bytes.subarray(n, n + 8192));
    return { width: image.width, height: image.height, pixels: btoa(letters) };
  }, `data:image/png;base64,${png.toString("base64")}`);
  await tab.close();
  return pixels;
}

if (job.before) await page.addInitScript(job.before);
await page.goto(job.page, { waitUntil: "load" });
await until("window.zoophyte !== undefined");
await page.evaluate("window.zoophyte.ready");
for (const step of job.steps) {
  if (step.ask) told.answers.push(await page.evaluate(step.ask));
  else if (step.do) await page.evaluate(step.do);
  else if (step.until) await until(step.until);
  else if (step.press) await page.keyboard.press(step.press);
  else if (step.click) await page.click(step.click, { timeout: job.patience });
  else if (step.tap) await page.tap(step.tap, { timeout: job.patience });
  else if (step.picture) told.pictures.push(await pictured(step.picture));
  else throw new Error(`unknown step ${JSON.stringify(step)}`);
}
await browser.close();
console.log(JSON.stringify(told));
