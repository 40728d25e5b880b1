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

/** Test of one format. */
interface Format {
  readonly test: FormatTest;
  /** Steps of one character. */
  readonly steps: number;
  /** Length that no text of the format exceeds. */
  readonly maxLength?: number;
}

/** Steps of one character for a regular expression, and for a text that is compiled to one: `\p{L}` takes 40 µs. */
const MATCH_STEPS = 4;
const COMPILE_STEPS = 2_000;

const isPointer = createPatternTest(POINTER);
const isPointerFragment = createPatternTest("#(?:/(?:[\\w\\-.!$&'()*+,;:=@]|%[\\da-f]{2}|~[01])*)*");
const isRelativePointer = createPatternTest(`(?:0|[1-9]\\d*)(?:#|${POINTER})`);

/** The supported formats, by name. Other formats are annotations. */
export const FORMATS: ReadonlyMap<unknown, Format> = new Map<unknown, Format>([
  ['date', { test: isDate, steps: MATCH_STEPS, maxLength: 10 }],
  ['time', { test: isTime, steps: MATCH_STEPS }],
  ['date-time', { test: isDateTime, steps: MATCH_STEPS }],
  ['duration', { test: text => DURATION.test(text), steps: MATCH_STEPS }],
  ['uri', { test: text => isUri(URI, text), steps: MATCH_STEPS }],
  ['uri-reference', { test: text => isUri(URI_REFERENCE, text), steps: MATCH_STEPS }],
  ['uri-template', { test: text => URI_TEMPLATE.test(text), steps: MATCH_STEPS }],
  // A name of 64 characters, and a host or an address in brackets.
  ['email', { test: isEmail, steps: MATCH_STEPS, maxLength: 64 + 1 + 253 }],
  ['hostname', { test: text => HOSTNAME.test(text), steps: MATCH_STEPS, maxLength: 253 }],
  ['ipv4', { test: isIpv4, steps: MATCH_STEPS, maxLength: 15 }],
  ['ipv6', { test: isIpv6, steps: MATCH_STEPS, maxLength: 45 }],
  ['regex', { test: isRegularExpression, steps: COMPILE_STEPS }],
  [
    'uuid',
    {
      test: text => /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text),
      steps: MATCH_STEPS,
      maxLength: 36,
    },
  ],
  ['json-pointer', { test: isPointer, steps: MATCH_STEPS }],
  ['json-pointer-uri-fragment', { test: isPointerFragment, steps: MATCH_STEPS }],
  ['relative-json-pointer', { test: isRelativePointer, steps: MATCH_STEPS }],
]);

function createPatternTest(pattern: string): FormatTest {
  const expression = new RegExp(`^${pattern}$`, 'i');
  return text => expression.test(text);
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
  const [, date = '', time = ''] = /^([^t\s]*)[t\s]([^t\s]*)$/i.exec(text) ?? [];
  return isDate(date) && isTime(time);
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
