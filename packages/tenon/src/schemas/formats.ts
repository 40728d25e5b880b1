/** The formats of JSON Schema. https://json-schema.org/draft/2020-12/json-schema-validation#section-7.3 */

const OCTET = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';
const IPV4 = `(?:${OCTET}\\.){3}${OCTET}`;
/** https://www.rfc-editor.org/rfc/rfc3986#appendix-A */
const ESCAPED = '%[\\da-f]{2}';
const IN_HOST = `(?:[\\w\\-.~!$&'()*+,;=]|${ESCAPED})`;
const IN_PATH = `(?:[\\w\\-.~!$&'()*+,;=:@/]|${ESCAPED})`;
const IN_QUERY = `(?:[\\w\\-.~!$&'()*+,;=:@/?]|${ESCAPED})`;
const AUTHORITY = `(?:(?:[\\w\\-.~!$&'()*+,;=:]|${ESCAPED})*@)?(?:\\[([^\\]]*)\\]|${IN_HOST}*)(?::\\d*)?`;
const AFTER_SCHEME = `(?://${AUTHORITY}(?:/${IN_PATH}*)?|(?!//)${IN_PATH}*)(?:\\?${IN_QUERY}*)?(?:#${IN_QUERY}*)?`;
const SCHEME = '[a-z][a-z\\d+.-]*:';
/** https://www.rfc-editor.org/rfc/rfc6570#section-2 */
const NAME = `(?:\\w|${ESCAPED})+(?:\\.(?:\\w|${ESCAPED})+)*(?::[1-9]\\d{0,3}|\\*)?`;
const EXPRESSION = `\\{[+#./;?&=,!@|]?${NAME}(?:,${NAME})*\\}`;
const LABEL = '[a-z\\d](?:[a-z\\d-]{0,61}[a-z\\d])?';
const ATOM = "[a-z\\d.!#$%&'*+/=?^_`{|}~-]+";
const QUOTED = '"(?:[ !#-\\[\\]-~]|\\\\[ -~])*"';
const POINTER = '(?:/(?:[^~/]|~[01])*)*';

/** Parts that may be left out at either end, but not in the middle: `1Y2M`, `2M3D`, never `1Y3D`. */
const spans = (a: string, b: string, c: string): string =>
  `(?:\\d+${a}(?:\\d+${b}(?:\\d+${c})?)?|\\d+${b}(?:\\d+${c})?|\\d+${c})`;
const CLOCK = `T${spans('H', 'M', 'S')}`;

const matches = (pattern: string): ((text: string) => boolean) => {
  const whole = new RegExp(`^(?:${pattern})$`, 'i');
  return text => whole.test(text);
};

const isIpv4 = /* @__PURE__ */ matches(IPV4);
const isHostname = /* @__PURE__ */ matches(`(?=.{1,253}$)${LABEL}(?:\\.${LABEL})*`);

/** Whether a text has the format. Formats that are not here say nothing. */
export const formats: { readonly [name: string]: (text: string) => boolean } = {
  date: isDate,
  time: isTime,
  'date-time': text => {
    const [date = '', time = '', more] = text.split(/t|\s/i);
    return isDate(date) && isTime(time) && more === undefined;
  },
  duration: text => new RegExp(`^P(?:\\d+W|${spans('Y', 'M', 'D')}(?:${CLOCK})?|${CLOCK})$`).test(text),
  uri: text => isUri(text, SCHEME),
  'uri-reference': text => isUri(text, `(?:${SCHEME})?`),
  'uri-template': /* @__PURE__ */ matches(`(?:[^\\0- \\x7f"<>%\\\\^\`{|}]|${ESCAPED}|${EXPRESSION})*`),
  email: isEmail,
  hostname: isHostname,
  ipv4: isIpv4,
  ipv6: isIpv6,
  regex: isRegex,
  uuid: /* @__PURE__ */ matches('[\\da-f]{8}-(?:[\\da-f]{4}-){3}[\\da-f]{12}'),
  'json-pointer': /* @__PURE__ */ matches(POINTER),
  'json-pointer-uri-fragment': /* @__PURE__ */ matches(`#(?:/(?:[\\w\\-.!$&'()*+,;:=@]|${ESCAPED}|~[01])*)*`),
  'relative-json-pointer': /* @__PURE__ */ matches(`(?:0|[1-9]\\d*)(?:#|${POINTER})`),
};

function isDate(text: string): boolean {
  const [, year, month, day] = (/^(\d{4})-(\d\d)-(\d\d)$/.exec(text) ?? []).map(Number);
  if (year === undefined || month === undefined || day === undefined || month < 1 || month > 12) return false;
  // 400 years later the calendar is the same, and no year is below 100, which would be one of the last century.
  return day >= 1 && day <= new Date(Date.UTC(year + 400, month, 0)).getUTCDate();
}

/** With its offset, as RFC 3339 wants it. A leap second is the last one of a day in UTC. */
function isTime(text: string): boolean {
  const found = /^([01]\d|2[0-3]):([0-5]\d):([0-5]\d|60)(?:\.\d+)?(?:z|([+-])([01]\d|2[0-3]):([0-5]\d))$/i.exec(text);
  if (found === null || found[3] !== '60') return found !== null;
  const [, hour, minute, , sign, offsetHour = 0, offsetMinute = 0] = found;
  const offset = Number(offsetHour) * 60 + Number(offsetMinute);
  const inUtc = Number(hour) * 60 + Number(minute) + (sign === '-' ? offset : -offset);
  return (inUtc + 1) % 1440 === 0;
}

function isUri(text: string, scheme: string): boolean {
  const found = new RegExp(`^${scheme}${AFTER_SCHEME}$`, 'i').exec(text);
  const address = found?.[1];
  return (
    found !== null && (address === undefined || isIpv6(address) || /^v[\da-f]+\.[\w\-.~!$&'()*+,;=:]+$/i.test(address))
  );
}

function isIpv6(text: string): boolean {
  const [head = '', tail, more] = text.split('::');
  if (more !== undefined) return false;
  const groups = [head, tail ?? ''].flatMap(half => (half === '' ? [] : half.split(':')));
  const endsInIpv4 = tail !== '' && isIpv4(groups.at(-1) ?? '');
  if (endsInIpv4) groups.splice(-1, 1, '0', '0');
  return (
    groups.every(group => /^[\da-f]{1,4}$/i.test(group)) &&
    (tail === undefined ? groups.length === 8 : groups.length < 8)
  );
}

/** https://www.rfc-editor.org/rfc/rfc5321#section-4.1.2 */
function isEmail(text: string): boolean {
  const [, name = '', host = ''] = new RegExp(`^(${QUOTED}|${ATOM})@(.+)$`, 'i').exec(text) ?? [];
  if (name === '' || name.length > 64 || (name[0] !== '"' && /^\.|\.\.|\.$/.test(name))) return false;
  const [, v6, address] = /^\[(ipv6:)?(.*)\]$/i.exec(host) ?? [];
  if (address !== undefined) return v6 === undefined ? isIpv4(address) : isIpv6(address);
  return isHostname(host);
}

function isRegex(text: string): boolean {
  try {
    return new RegExp(text, 'u') instanceof RegExp;
  } catch {
    return false;
  }
}
