// Opens a report in headless Chromium, as people of several tastes do, and tells what they meet.
//
// usage: browser.cjs PAGE FOLDER: one JSON of {views, tables, sorted}; a screenshot a view in FOLDER.
"use strict";

const { readFileSync } = require("node:fs");
const { pathToFileURL } = require("node:url");
const { join } = require("node:path");
const { chromium } = require("playwright-core");

const AXE = readFileSync(require.resolve("axe-core/axe.min.js"), "utf-8");
const VIEWS = {
  desktop: { viewport: { width: 1280, height: 900 }, colorScheme: "light" },
  dark: { viewport: { width: 1280, height: 900 }, colorScheme: "dark" },
  phone: { viewport: { width: 390, height: 844 }, colorScheme: "light", hasTouch: true },
  "no-script": { viewport: { width: 1280, height: 900 }, javaScriptEnabled: false },
};

// What the page drew: by chart how many pictures, their words, and how many marks each layer has.
function drawings() {
  const places = [...document.querySelectorAll(".drawing")];
  return Object.fromEntries(
    places.map((place) => {
      const pictures = [...place.querySelectorAll("svg.marks")];
      const marks = [...place.querySelectorAll("svg.marks .mark-group.role-mark, svg.marks g.role-mark")];
      return [
        place.id,
        {
          pictures: pictures.length,
          words: pictures[0]?.getAttribute("aria-label") ?? null,
          is_wide: pictures[0]?.getBoundingClientRect().width > 100,
          marks: marks.map((layer) => layer.querySelectorAll("path, text, line, rect").length),
        },
      ];
    }),
  );
}

function cells() {
  return Object.fromEntries(
    [...document.querySelectorAll("table[data-table]")].map((table) => [
      table.dataset.table,
      [...table.rows].map((row) =>
        [...row.cells].map((cell) => [
          (cell.querySelector("button") ?? cell).textContent,
          cell.querySelector("data")?.value ?? null,
        ]),
      ),
    ]),
  );
}

async function look(browser, name, settings, url, folder) {
  const context = await browser.newContext(settings);
  const page = await context.newPage();
  const [messages, requests, dialogs] = [[], [], []];
  page.on("console", (message) => messages.push(`${message.type()}: ${message.text()}`));
  page.on("pageerror", (error) => messages.push(`thrown: ${error.message}`));
  page.on("request", (request) => requests.push(request.url().slice(0, 200)));
  page.on("dialog", (dialog) => (dialogs.push(dialog.message()), dialog.dismiss()));
  await page.goto(url);
  const told = { messages, requests, dialogs };
  if (settings.javaScriptEnabled !== false) {
    await page.waitForFunction(() =>
      [...document.querySelectorAll(".drawing")].every((place) => place.childElementCount > 0),
    );
    told.charts = await page.evaluate(drawings);
    told.overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    told.background = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    await page.evaluate(AXE);
    told.accessibility = await page.evaluate(async () =>
      (await axe.run()).violations.map((broken) => `${broken.id}: ${broken.nodes[0].html}`),
    );
  } else {
    told.text = await page.locator("header").innerText();
  }
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
  return [told, page];
}

async function main(file, folder) {
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM,
    args: ["--no-sandbox", "--disable-gpu"], // root, as CI is, has no sandbox
  });
  const url = String(pathToFileURL(file));
  const views = {};
  let tables, sorted;
  for (const [name, settings] of Object.entries(VIEWS)) {
    const [told, page] = await look(browser, name, settings, url, folder);
    views[name] = told;
    if (name === "desktop") {
      await page.pdf({ path: join(folder, "print.pdf"), preferCSSPageSize: true });
      tables = await page.evaluate(cells);
      // with the keyboard alone: the first press sorts upwards, the second downwards
      const header = page.locator('table[data-table="escape_rates"] th').nth(tables.escape_rates?.[0].findIndex(([text]) => text === "escape rate") ?? 0);
      sorted = {};
      for (const direction of ["ascending", "descending"]) {
        await header.locator("button").press("Enter");
        sorted[direction] = {
          aria: await header.getAttribute("aria-sort"),
          cells: (await page.evaluate(cells)).escape_rates,
        };
      }
    }
    await page.context().close();
  }
  await browser.close();
  console.log(JSON.stringify({ views, tables, sorted }));
}

main(...process.argv.slice(2));
