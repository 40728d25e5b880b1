type FormatTest = (text: string) => boolean;

const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const HOSTNAME = /^(?=.{1,253}$)[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?(?:\.[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?)*$/i;
const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/;
const TIME = /^(\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:z|([+-])(\d\d):(\d\d))$/i;
const EMAIL = /^("(?:[ !#-[\]-~]|\\[ -~])*"|[a-z\d!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z\d!#$%&'*+/=?^_`{|}~-]+)*)@(.+)$/i;
const DURATION =
  /^P(?=.)(?:\d+W|(?:\d+Y(?:\d+M(?:\d+D)?)?|\d+M(?:\d+D)?|\d+D)?(?:T(?:\d+H(?:\d+M(?:\d+S)?)?|\d+M(?:\d+S)?|\d+S))?)$/;

/**
 * Characters of the host in a URI.
 * @see https://www.rfc-editor.org/rfc/rfc3986#appendix-A
 */
const HOST = "[\\w.~!$&'()*+,;=-]|%[\\da-f]{2}";
const PATH = `(?:${HOST}|[:@])`;
const AUTHORITY = `//(?:(?:${HOST}|:)*@)?(?:\\[([^\\]]*)\\]|(?:${HOST})*)(?::\\d*)?(?:/${PATH}*)*`;
const URI_REST = `(?:${AUTHORITY}|/?(?:${PATH}+(?:/${PATH}*)*)?)(?:\\?(?:${PATH}|[/?])*)?(?:#(?:${PATH}|[/?])*)?$`;
const SCHEME = '^[a-z][a-z\\d+.-]*:';
const URI = new RegExp(SCHEME + URI_REST, 'i');
/** Without a scheme, no colon may come before the first slash. */
const URI_REFERENCE = new RegExp(`(?:${SCHEME}|^(?![^/?#]*:))${URI_REST}`, 'i');
const VARIABLE = '(?:\\w|%[\\da-f]{2})+(?:\\.(?:\\w|%[\\da-f]{2})+)*(?::[1-9]\\d{0,3}|\\*)?';
const URI_TEMPLATE = new RegExp(
  `^(?:[^\\x00-\\x20\\x7f"<>%\\\\^\`{|}]|%[\\da-f]{2}|\\{[+#./;?&=,!@|]?${VARIABLE}(?:,${VARIABLE})*\\})*$`,
  'i',
);
const POINTER = '(?:/(?:[^~/]|~[01])*)*';

/** Tests of the supported formats, by name. Other formats are annotations. */
export const FORMATS: ReadonlyMap<unknown, FormatTest> = new Map<unknown, FormatTest>([
  ['date', isDate],
  ['time', isTime],
  ['date-time', isDateTime],
  ['duration', text => DURATION.test(text)],
  ['uri', text => isUri(URI, text)],
  ['uri-reference', text => isUri(URI_REFERENCE, text)],
  ['uri-template', text => URI_TEMPLATE.test(text)],
  ['email', isEmail],
  ['hostname', text => HOSTNAME.test(text)],
  ['ipv4', isIpv4],
  ['ipv6', isIpv6],
  ['regex', isRegularExpression],
  ['uuid', text => /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text)],
  createPatternFormat('json-pointer', POINTER),
  createPatternFormat('json-pointer-uri-fragment', "#(?:/(?:[\\w\\-.!$&'()*+,;:=@]|%[\\da-f]{2}|~[01])*)*"),
  createPatternFormat('relative-json-pointer', `(?:0|[1-9]\\d*)(?:#|${POINTER})`),
]);

function createPatternFormat(name: string, pattern: string): [name: string, test: FormatTest] {
  const expression = new RegExp(`^${pattern}$`, 'i');
  return [name, text => expression.test(text)];
}

function isDate(text: string): boolean {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text)?.map(Number) ?? [];
  if (year === undefined || month === undefined || day === undefined) return false;
  const isLeapYear = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return day > 0 && day <= (month === 2 && isLeapYear ? 29 : (DAYS[month - 1] ?? 0));
}

function isTime(text: string): boolean {
  const match = TIME.exec(text);
  if (match === null) return false;
  const [hour = 0, minute = 0, second = 0, , offsetHour = 0, offsetMinute = 0] = match
    .slice(1)
    .map(part => Number(part ?? 0));
  if (hour > 23 || minute > 59 || second > 60 || offsetHour > 23 || offsetMinute > 59) return false;
  if (second < 60) return true;
  // A leap second is the last one of a day in UTC.
  const offset = (offsetHour * 60 + offsetMinute) * (match[4] === '-' ? -1 : 1);
  return (hour * 60 + minute - offset + 1440) % 1440 === 1439;
}

function isDateTime(text: string): boolean {
  const [date = '', time = '', rest] = text.split(/t|\s/i);
  return rest === undefined && isDate(date) && isTime(time);
}

function isUri(pattern: RegExp, text: string): boolean {
  const match = pattern.exec(text);
  if (match === null) return false;
  const [, address] = match;
  return address === undefined || isIpv6(address) || /^v[\da-f]+\.[\w.~!$&'()*+,;=:-]+$/i.test(address);
}

function isEmail(text: string): boolean {
  const [, name = '', host = ''] = EMAIL.exec(text) ?? [];
  if (name === '' || name.length > 64) return false;
  const address = /^\[(ipv6:)?(.*)\]$/i.exec(host);
  if (address === null) return HOSTNAME.test(host);
  return (address[1] === undefined ? isIpv4 : isIpv6)(address[2] ?? '');
}

function isIpv4(text: string): boolean {
  return IPV4.test(text);
}

function isIpv6(text: string): boolean {
  const halves = text.split('::');
  const groups = halves.flatMap(half => (half === '' ? [] : half.split(':')));
  const last = groups.at(-1) ?? '';
  // An IPv4 address may replace the last two groups.
  if (text.endsWith(last) && IPV4.test(last)) groups.splice(-1, 1, '0', '0');
  if (!groups.every(group => /^[\da-f]{1,4}$/i.test(group))) return false;
  return halves.length === 2 ? groups.length < 8 : halves.length === 1 && groups.length === 8;
}

function isRegularExpression(text: string): boolean {
  // `\Z` is an anchor in other languages, and an escaped letter in none.
  if (/[^\\]\\Z/.test(text)) return false;
  try {
    return new RegExp(text, 'u') !== undefined;
  } catch {
    return false;
  }
}
