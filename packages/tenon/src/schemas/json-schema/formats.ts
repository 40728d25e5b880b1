type FormatTest = (text: string) => boolean;

const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const HOSTNAME = /^(?=.{1,253}$)[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?(?:\.[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?)*$/i;
const IPV4_ADDRESS = '(?:(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)(?:\\.(?!$)|$)){4}$';
const IPV4 = new RegExp(`^${IPV4_ADDRESS}`);
/** An IPv4 address in place of the last two groups. */
const IPV4_TAIL = new RegExp(`(?<=:)${IPV4_ADDRESS}`);
const GROUPS = '[\\da-f]{1,4}(?::[\\da-f]{1,4})';
/** Eight groups, or less than eight around `::`. */
const IPV6 = new RegExp(`^(?:${GROUPS}{7}|(?!:*(?:[\\da-f]+(?::+|$)){8})(?:${GROUPS}*)?::(?:${GROUPS}*)?)$`, 'i');
const MAX_IPV6 = 45;
const DATE = /^\d{4}-\d\d-\d\d$/;
const TIME = /^\d\d:\d\d:\d\d(?:\.\d+)?(?:z|[+-]\d\d:\d\d)$/i;
const MAILBOX = /^(?:"(?:[ !#-[\]-~]|\\[ -~])*"|[a-z\d!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z\d!#$%&'*+/=?^_`{|}~-]+)*)$/i;
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
const DURATION =
  /^P(?=.)(?:\d+W|(?:\d+Y(?:\d+M(?:\d+D)?)?|\d+M(?:\d+D)?|\d+D)?(?:T(?:\d+H(?:\d+M(?:\d+S)?)?|\d+M(?:\d+S)?|\d+S))?)$/;

/**
 * Characters of the host in a URI.
 * @see https://www.rfc-editor.org/rfc/rfc3986#appendix-A
 */
const HOST = "[\\w.~!$&'()*+,;=-]|%[\\da-f]{2}";
const PATH = `(?:${HOST}|[:@])`;
const AUTHORITY = `//(?:(?:${HOST}|:)*@)?(?:\\[[^\\]]*\\]|(?:${HOST})*)(?::\\d*)?(?:/${PATH}*)*`;
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

/** Test of one format, with the steps that it takes. */
interface Format {
  readonly test: FormatTest;
  /** Steps of one test, beside those of the characters. */
  readonly steps: number;
  /** Steps of one character. Expressions that are compiled and run once for each text take about one. */
  readonly characterSteps: number;
  /** Length that no text of the format exceeds. */
  readonly maxLength?: number;
}

const isPointer = createPatternTest(POINTER);
const isPointerFragment = createPatternTest("#(?:/(?:[\\w\\-.!$&'()*+,;:=@]|%[\\da-f]{2}|~[01])*)*");
const isRelativePointer = createPatternTest(`(?:0|[1-9]\\d*)(?:#|${POINTER})`);

/** The supported formats, by name. Other formats are annotations. */
export const FORMATS: ReadonlyMap<unknown, Format> = new Map<unknown, Format>([
  ['date', { test: isDate, steps: 18, characterSteps: 0, maxLength: 10 }],
  ['time', { test: isTime, steps: 16, characterSteps: 0.4 }],
  [
    'date-time',
    {
      test: text => /^.{10}[t\s]/i.test(text) && isDate(text.slice(0, 10)) && isTime(text.slice(11)),
      steps: 25,
      characterSteps: 0.5,
    },
  ],
  ['duration', { test: text => DURATION.test(text), steps: 8, characterSteps: 1 }],
  ['uri', { test: text => isUri(URI, text), steps: 20, characterSteps: 1 }],
  ['uri-reference', { test: text => isUri(URI_REFERENCE, text), steps: 16, characterSteps: 1 }],
  ['uri-template', { test: text => URI_TEMPLATE.test(text), steps: 8, characterSteps: 1 }],
  // A name of 64 characters, and a host or an address in brackets.
  ['email', { test: isEmail, steps: 25, characterSteps: 1, maxLength: 64 + 1 + 253 }],
  ['hostname', { test: text => HOSTNAME.test(text), steps: 10, characterSteps: 1.2, maxLength: 253 }],
  ['ipv4', { test: isIpv4, steps: 8, characterSteps: 0, maxLength: 15 }],
  ['ipv6', { test: isIpv6, steps: 24, characterSteps: 1.5, maxLength: MAX_IPV6 }],
  // The error of an invalid expression takes 10 µs. `\p{L}` takes 40 µs to compile.
  ['regex', { test: isRegularExpression, steps: 2_000, characterSteps: 2_000 }],
  ['uuid', { test: text => UUID.test(text), steps: 24, characterSteps: 0, maxLength: 36 }],
  ['json-pointer', { test: isPointer, steps: 8, characterSteps: 1 }],
  ['json-pointer-uri-fragment', { test: isPointerFragment, steps: 8, characterSteps: 1 }],
  ['relative-json-pointer', { test: isRelativePointer, steps: 8, characterSteps: 1 }],
]);

function createPatternTest(pattern: string): FormatTest {
  const expression = new RegExp(`^${pattern}$`, 'i');
  return text => expression.test(text);
}

function isDate(text: string): boolean {
  if (!DATE.test(text)) return false;
  const year = 100 * readPair(text, 0) + readPair(text, 2);
  const [month, day] = [readPair(text, 5), readPair(text, 8)];
  const isLeapYear = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return day > 0 && day <= (month === 2 && isLeapYear ? 29 : (DAYS[month - 1] ?? 0));
}

/** Reads two digits as a number. */
function readPair(text: string, index: number): number {
  return 10 * (text.charCodeAt(index) - 48) + text.charCodeAt(index + 1) - 48;
}

function isTime(text: string): boolean {
  if (!TIME.test(text)) return false;
  const [hour, minute, second] = [readPair(text, 0), readPair(text, 3), readPair(text, 6)];
  const end = text.length;
  const isUtc = /z$/i.test(text);
  const offsetHour = isUtc ? 0 : readPair(text, end - 5);
  const offsetMinute = isUtc ? 0 : readPair(text, end - 2);
  if (hour > 23 || minute > 59 || second > 60 || offsetHour > 23 || offsetMinute > 59) return false;
  if (second < 60) return true;
  // A leap second is the last one of a day in UTC.
  const offset = (offsetHour * 60 + offsetMinute) * (text[end - 6] === '-' ? -1 : 1);
  return (hour * 60 + minute - offset + 1440) % 1440 === 1439;
}

function isUri(pattern: RegExp, text: string): boolean {
  if (!pattern.test(text)) return false;
  // Brackets are allowed around the address of a host only.
  const start = text.indexOf('[');
  if (start === -1) return true;
  const address = text.slice(start + 1, text.indexOf(']', start));
  return isIpv6(address) || /^v[\da-f]+\.[\w.~!$&'()*+,;=:-]+$/i.test(address);
}

function isEmail(text: string): boolean {
  const at = text.lastIndexOf('@');
  if (at < 1 || at > 64 || !MAILBOX.test(text.slice(0, at))) return false;
  const host = text.slice(at + 1);
  if (!host.startsWith('[')) return HOSTNAME.test(host);
  if (!host.endsWith(']')) return false;
  return /^\[ipv6:/i.test(host) ? isIpv6(host.slice(6, -1)) : isIpv4(host.slice(1, -1));
}

function isIpv4(text: string): boolean {
  return IPV4.test(text);
}

function isIpv6(text: string): boolean {
  return text.length <= MAX_IPV6 && IPV6.test(text.replace(IPV4_TAIL, '0:0'));
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
