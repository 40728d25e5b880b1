// @ts-check
/**
 * Finds or installs the Chromium that some tests drive. This is the only place that does.
 *
 * 1. `TENON_CHROMIUM`: the path of an executable. Nothing else is tried then. `TENON_NO_BROWSER` or `TENON_HIDE_PROGRAMS`: no browser is used.
 * 2. The Chromium of the system, or the one that step 4 unpacked before.
 * 3. As root, where there is apt-get: the package `chromium` of Debian.
 * 4. On Linux x64: the npm package `@sparticuz/chromium`, installed into test/browser and unpacked into .cache.
 *
 * Each candidate is started once with `--version`, because Ubuntu has a /usr/bin/chromium-browser that only names
 * another package. `node scripts/browser.mjs` installs a browser where there is none.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { readJson, root, runProgram } from './process.mjs';
import { installSideProject } from './side-project.mjs';

/** Options for the launchers of Playwright. @typedef {{ executablePath: string, env: NodeJS.ProcessEnv }} Browser */
/** `errors` say why there is no browser. @typedef {{ browser?: Browser, errors: string[] }} BrowserSearch */

const START_TIMEOUT = 30_000;
const APT_TIMEOUT = 600_000;

const COMMANDS = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome'];
const { env } = process;
/** Variable that turns browsers off. */
const offVariable = ['TENON_NO_BROWSER', 'TENON_HIDE_PROGRAMS'].find(name => env[name]);
const PATHS = [
  ...COMMANDS.map(name => join('/usr/bin', name)),
  '/usr/local/bin/chromium',
  '/snap/bin/chromium',
  '/opt/google/chrome/chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  ...[env.PROGRAMFILES, env['PROGRAMFILES(X86)'], env.LOCALAPPDATA].flatMap(folder =>
    folder ? [join(folder, 'Google/Chrome/Application/chrome.exe')] : [],
  ),
];

const FIREFOX_COMMANDS = ['firefox', 'firefox-esr'];
const FIREFOX_PATHS = [
  '/Applications/Firefox.app/Contents/MacOS/firefox',
  ...[env.PROGRAMFILES, env['PROGRAMFILES(X86)']].flatMap(folder =>
    folder ? [join(folder, 'Mozilla Firefox/firefox.exe')] : [],
  ),
];

const project = join(root, 'test/browser');
const packageFolder = join(project, 'node_modules/@sparticuz/chromium');
const cache = join(root, '.cache');
const unpacked = join(
  cache,
  `chromium-${readJson(join(project, 'package.json')).devDependencies['@sparticuz/chromium']}`,
);

const carried = join(unpacked, 'chromium');

/** The line that a test prints when it skips because of a missing browser. @param {readonly string[]} errors */
export const skipMessage = errors => `SKIPPED: no browser. ${errors.join(' ')}`;

/** Finds a browser without installing anything. @returns {Promise<BrowserSearch>} */
export async function findBrowser() {
  if (offVariable !== undefined) return { errors: [`${offVariable} is set.`] };
  const given = env.TENON_CHROMIUM;
  const candidates = given ? [given] : [...searchPath(COMMANDS), ...PATHS, carried];
  for (const path of new Set(candidates)) {
    const browser = await tryBrowser(path);
    if (browser !== undefined) return { browser, errors: [] };
  }
  if (given) return { errors: [`TENON_CHROMIUM: ${given} does not start.`] };
  return { errors: ['No Chromium found. Run `node scripts/browser.mjs`, or set TENON_CHROMIUM to the path of one.'] };
}

/** Finds the Firefox of the system, or that of `TENON_FIREFOX`. Nothing is installed. @returns {Promise<BrowserSearch>} */
export async function findFirefox() {
  if (offVariable !== undefined) return { errors: [`${offVariable} is set.`] };
  const given = env.TENON_FIREFOX;
  for (const path of given ? [given] : [...searchPath(FIREFOX_COMMANDS), ...FIREFOX_PATHS]) {
    const browser = await tryBrowser(path);
    if (browser !== undefined) return { browser, errors: [] };
  }
  if (given) return { errors: [`TENON_FIREFOX: ${given} does not start.`] };
  return { errors: ['No Firefox found. Install one, or set TENON_FIREFOX to the path of one.'] };
}

/** @type {Promise<BrowserSearch> | undefined} */
let search;

/** Finds a browser, or installs one. Searches once in a process. Never rejects. */
export function ensureBrowser() {
  search ??= findOrInstall();
  return search;
}

/** @returns {Promise<BrowserSearch>} */
async function findOrInstall() {
  const found = await findBrowser();
  if (found.browser !== undefined || env.TENON_CHROMIUM || offVariable !== undefined) return found;
  const errors = ['No Chromium is installed.'];
  for (const install of [installFromDebian, installFromNpm]) {
    const failure = await install().catch(error => `${error instanceof Error ? error.message : error}.`);
    const { browser } = await findBrowser();
    if (browser !== undefined) return { browser, errors: [] };
    errors.push(failure ?? `${install.name} installed a browser that does not start.`);
  }
  errors.push('Set TENON_CHROMIUM to the path of one.');
  return { errors };
}

/** @returns {Promise<string | undefined>} the reason if it installed nothing */
async function installFromDebian() {
  if (process.getuid?.() !== 0) return 'apt-get needs root.';
  const [apt] = searchPath(['apt-get']);
  if (apt === undefined) return 'apt-get is not on PATH.';
  console.log('installing the Debian package chromium');
  const options = {
    env: { ...env, DEBIAN_FRONTEND: 'noninteractive' },
    stdio: /** @type {['ignore', 'ignore', 'inherit']} */ (['ignore', 'ignore', 'inherit']),
    timeout: APT_TIMEOUT,
  };
  const network = [
    '-qq',
    '-o',
    'Acquire::Retries=1',
    '-o',
    'Acquire::http::Timeout=20',
    '-o',
    'DPkg::Lock::Timeout=60',
  ];
  await runProgram(apt, [...network, 'update'], options);
  await runProgram(apt, [...network, 'install', '-y', '--no-install-recommends', 'chromium'], options);
}

/** @returns {Promise<string | undefined>} the reason if it installed nothing */
async function installFromNpm() {
  if (process.platform !== 'linux' || process.arch !== 'x64')
    return `@sparticuz/chromium has no binary for ${process.platform} ${process.arch}.`;
  await installSideProject(project, 'Chromium', [join(packageFolder, 'bin/chromium.br')]);
  await mkdir(cache, { recursive: true });
  // Unpacked beside its place, so that an interrupted run leaves no half of a browser there.
  const folder = await mkdtemp(`${unpacked}-`);
  try {
    // The package unpacks into the temporary folder, and its copies of NSS only where it believes to be on AWS.
    const options = { cwd: project, env: { ...env, TMPDIR: folder, AWS_LAMBDA_JS_RUNTIME: 'nodejs22.x' } };
    const unpack = "import chromium from '@sparticuz/chromium'; await chromium.executablePath();";
    await runProgram(process.execPath, ['--input-type=module', '--eval', unpack], options);
    // Paths in the configuration that the package brings are those of AWS.
    const fonts = `<fontconfig><dir>${join(unpacked, 'fonts')}</dir><cachedir>${join(unpacked, 'fonts-cache')}</cachedir></fontconfig>`;
    await writeFile(join(folder, 'fonts.conf'), `<?xml version="1.0"?>\n${fonts}\n`);
    await rm(unpacked, { recursive: true, force: true });
    await rename(folder, unpacked);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** @param {readonly string[]} names @returns {string[]} the paths at which PATH has one of them */
function searchPath(names) {
  const folders = (env.PATH ?? '').split(delimiter).filter(folder => folder !== '');
  return names.flatMap(name => folders.map(folder => join(folder, name))).filter(path => existsSync(path));
}

/** @param {string} path @returns {Promise<Browser | undefined>} the browser, if it starts */
async function tryBrowser(path) {
  if (!existsSync(path)) return undefined;
  if (path !== carried) return (await starts(path, env)) ? { executablePath: path, env } : undefined;
  const fonts = { ...env, FONTCONFIG_FILE: join(unpacked, 'fonts.conf') };
  if (await starts(path, fonts)) return { executablePath: path, env: fonts };
  // A machine without NSS: the package carries a copy.
  const libraries = { ...fonts, LD_LIBRARY_PATH: join(unpacked, 'al2023/lib') };
  return (await starts(path, libraries)) ? { executablePath: path, env: libraries } : undefined;
}

/** @param {string} path @param {NodeJS.ProcessEnv} environment */
function starts(path, environment) {
  // Chrome for Windows opens a window for `--version`.
  if (process.platform === 'win32') return true;
  return promisify(execFile)(path, ['--version'], { env: environment, timeout: START_TIMEOUT }).then(
    () => true,
    () => false,
  );
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { browser, errors } = await ensureBrowser();
  console.log(browser?.executablePath ?? skipMessage(errors));
}
