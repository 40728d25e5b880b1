// @ts-check
/** One picture of what calls cost: bars as multiples of the floor, drawn without a browser. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { getPackageFolder } from '../packages.mjs';
import { callRows, cheapest, versions } from './rows.mjs';

/** @typedef {import('./rows.mjs').Parts} Parts */
/** @typedef {{ part: string, revision: string, base: string, label: string }} Group */

const [sessions = '', perRequest = ''] = versions;
/** @type {Group[]} */
const groups = [
  { part: 'http', revision: perRequest, base: 'checked floor', label: 'HTTP\n2026-07-28' },
  { part: 'http', revision: sessions, base: 'checked floor', label: 'HTTP\n2025-11-25' },
  { part: 'stdio', revision: perRequest, base: 'checked floor', label: 'stdio\n2026-07-28' },
  { part: 'stdio', revision: sessions, base: 'checked floor', label: 'stdio\n2025-11-25' },
  { part: 'client', revision: perRequest, base: 'floor', label: 'client\n2026-07-28' },
  { part: 'client', revision: sessions, base: 'floor', label: 'client\n2025-11-25' },
  { part: 'memory', revision: perRequest, base: 'floor', label: 'in memory\n2026-07-28' },
  { part: 'memory', revision: sessions, base: 'floor', label: 'in memory\n2025-11-25' },
];

/** Told apart by those, too, who do not see all colours: from dark to light, Tenon's the only warm one. */
const who = [
  { name: 'Tenon', matches: /^tenon/, color: '#d9480f' },
  { name: 'mcp-lite 0.10', matches: /^mcp-lite/, color: '#0b3c5d' },
  { name: 'tmcp 1.20', matches: /^tmcp/, color: '#1d70a2' },
  { name: 'official v1', matches: /^v1/, color: '#6c8ebf' },
  { name: 'official v2', matches: /^v2/, color: '#8d99ae' },
  { name: 'fastmcp 4.20', matches: /^fastmcp/, color: '#c3cbd6' },
];
const INK = '#22272e';
const PAPER = '#f6f7f9';
const SIZE = { width: 960, height: 460 };

const bareNode = {
  symbol: 'none',
  silent: true,
  lineStyle: { color: INK, type: 'solid', width: 1 },
  label: { formatter: 'bare Node', position: 'end', color: INK, fontSize: 10 },
  data: [{ yAxis: 1 }],
};

/** The picture, as SVG; on paper of its own, so that it can be read on light and dark pages. @param {Parts} parts @param {string} about */
export async function drawPlot(parts, about) {
  // Only for the picture: the page of the documentation reads the figures of this file, and has no such package.
  const { init } = await import(pathToFileURL(join(getPackageFolder('echarts'), 'index.js')).href);
  const shown = groups.filter(({ part }) => parts[part] !== undefined);
  const chart = init(null, null, { renderer: 'svg', ssr: true, ...SIZE });
  chart.setOption({
    animation: false,
    backgroundColor: PAPER,
    textStyle: { color: INK, fontFamily: 'system-ui, sans-serif' },
    title: {
      text: 'CPU of one tools/call, as a multiple of bare Node (logarithmic)',
      subtext: about,
      left: 16,
      top: 10,
      textStyle: { color: INK, fontSize: 16 },
      subtextStyle: { color: INK, fontSize: 11 },
    },
    legend: { bottom: 10, itemGap: 26, textStyle: { color: INK }, itemWidth: 14, itemHeight: 10 },
    grid: { left: 56, right: 76, top: 78, bottom: 84 },
    xAxis: {
      type: 'category',
      data: shown.map(({ label }) => label),
      axisLabel: { color: INK, interval: 0, lineHeight: 14 },
      axisLine: { lineStyle: { color: INK } },
      axisTick: { show: false },
    },
    yAxis: {
      type: 'log',
      min: 0.5,
      axisLabel: { color: INK, formatter: tick },
      splitLine: { lineStyle: { color: '#d5d9df' } },
    },
    series: who.map(({ name, matches, color }, at) => ({
      name,
      type: 'bar',
      barGap: '8%',
      itemStyle: { color },
      label: { show: true, position: 'top', color: INK, fontSize: 9, formatter: label },
      data: shown.map(group => costIn(parts, group, matches)),
      ...(at === 0 ? { markLine: bareNode } : {}),
    })),
  });
  const svg = chart.renderToSVGString();
  chart.dispose();
  return svg;
}

/** Lists the costs of a call over HTTP on the newest version, as the README quotes them, the lowest first. @param {Parts} parts */
export function listQuotedCosts(parts) {
  const group = groups[0];
  if (group === undefined) throw new Error('the plot has no groups');
  const costs = who.flatMap(({ name, matches }) => {
    const ratio = costIn(parts, group, matches);
    return ratio === undefined ? [] : [{ name, ratio, isTenon: name === 'Tenon' }];
  });
  return [...costs, { name: 'bare Node', ratio: 1, isTenon: false }].sort((a, b) => a.ratio - b.ratio);
}

/** @param {number} value */
const tick = value => (value < 1 ? '' : `${value} ×`);

/** @param {{ value: unknown }} bar */
const label = ({ value }) => (typeof value === 'number' ? value.toPrecision(2) : '');

/** The cheapest of a library's modes. @param {Parts} parts @param {Group} group @param {RegExp} matches @returns {number | undefined} */
function costIn(parts, { part, revision: version, base }, matches) {
  const rows = callRows[part]?.(parts[part]?.results) ?? [];
  const own = rows.filter(({ name }) => matches.test(name) || name === base);
  const kinds = ['tenon', 'v1', 'v2', 'peer'];
  const ratios = kinds.flatMap(kind => cheapest(own, kind, base, version)?.ratio.paired ?? []);
  return ratios.length === 0 ? undefined : Math.min(...ratios);
}
