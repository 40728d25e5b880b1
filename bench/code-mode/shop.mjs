// @ts-check
/** The servers of the tasks: a shop with orders, mail and notes, whose data are the same in each run. */
import { createServer, tool } from 'tenon';

/** @typedef {{ id: string, name: string, email: string, city: string }} Customer */
/** @typedef {{ id: string, customer: string, date: string, status: 'paid' | 'open' | 'cancelled', total: number, lines: { article: string, quantity: number, price: number }[] }} Order */
/** @typedef {{ to: string, subject: string, text: string }} Mail */
/** @typedef {import('tenon').Server} Server */

const CUSTOMERS = 30;
const NAMES = ['Ada', 'Ben', 'Cleo', 'Dan', 'Eva', 'Finn', 'Gro', 'Hugo', 'Ida', 'Jon'];
const FAMILIES = ['Berg', 'Lind', 'Moe'];
const CITIES = ['Oslo', 'Bergen', 'Turku'];
const ARTICLES = ['lamp', 'chair', 'table', 'shelf', 'carpet', 'mirror', 'clock'];
const CARRIERS = ['Post', 'Bring', 'Helthjem'];

const text = { type: 'string' };
const number = { type: 'number' };
const choice = (/** @type {readonly string[]} */ ...values) => ({ type: 'string', enum: values });
/** @param {Record<string, unknown>} properties */
const record = properties => ({
  type: /** @type {const} */ ('object'),
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});
const list = (/** @type {unknown} */ items) => ({ type: 'array', items });
const described = (/** @type {object} */ schema, /** @type {string} */ description) => ({ ...schema, description });

const customer = record({ id: text, name: text, email: text, city: text });
const line = record({ article: text, quantity: number, price: number });
const order = record({
  id: text,
  customer: text,
  date: text,
  status: choice('paid', 'open', 'cancelled'),
  total: number,
  lines: list(line),
});

/**
 * @param {string} description @param {Record<string, unknown>} input @param {Record<string, unknown>} output
 * @param {(given: any) => Record<string, unknown>} run
 */
const define = (description, input, output, run) =>
  tool({ description, input: record(input), output: record(output), run });

/** Creates the servers, and the list of the mails that they have sent. */
export function createShop() {
  const customers = Array.from({ length: CUSTOMERS }, (_, at) => createCustomer(at));
  const orders = customers.flatMap(({ id }, at) =>
    Array.from({ length: 3 + (at % 4) }, (_, n) => createOrder(id, at, n)),
  );
  /** @type {Mail[]} */
  const sent = [];
  const find = (/** @type {string} */ id) => {
    const found = orders.find(each => each.id === id);
    if (found === undefined) throw new Error(`there is no order ${id}`);
    return found;
  };
  const id = described(text, 'Id of the order, such as o-7-1');
  const server = (/** @type {string} */ name, /** @type {Record<string, any>} */ tools) =>
    createServer({ name, version: '1.0.0', tools });
  return {
    sent,
    /** @type {Record<string, Server>} */
    servers: {
      shop: server('shop', {
        list_customers: define(
          'Lists the customers, all of them or those of a city.',
          { city: described(text, 'City of the customers, or an empty text for all') },
          { customers: list(customer) },
          ({ city }) => ({ customers: customers.filter(each => city === '' || each.city === city) }),
        ),
        find_customer: define(
          'Finds customers by a part of their name.',
          { name: described(text, 'Part of the name') },
          { customers: list(customer) },
          ({ name }) => ({ customers: customers.filter(each => each.name.includes(name)) }),
        ),
        list_orders: define(
          'Lists the orders of a customer with their lines, from the first to the latest.',
          { customer: described(text, 'Id of the customer, such as c-7') },
          { orders: list(order) },
          given => ({ orders: orders.filter(each => each.customer === given.customer) }),
        ),
        get_order: define('Returns an order with its lines.', { id }, { order }, given => ({ order: find(given.id) })),
        get_shipment: define(
          'Returns the shipment of an order: carrier, number and day of delivery.',
          { order: id },
          { carrier: text, number: text, delivery: text },
          given => createShipment(find(given.order)),
        ),
        cancel_order: define('Cancels an order that is not paid.', { id }, { id: text }, given => ({ id: given.id })),
      }),
      mail: server('mail', {
        send_mail: define(
          'Sends a mail to one address.',
          { to: described(text, 'Address'), subject: text, text },
          { number },
          mail => ({ number: sent.push(mail) }),
        ),
        list_mails: define('Lists the mails that were sent.', {}, { mails: list(record({ to: text })) }, () => ({
          mails: sent.map(({ to }) => ({ to })),
        })),
        search_mails: define('Searches mails by words.', { words: text }, { mails: list(text) }, () => ({ mails: [] })),
        delete_mail: define('Deletes a mail.', { number }, { number }, given => ({ number: given.number })),
      }),
      notes: server('notes', {
        list_notes: define('Lists the titles of notes.', {}, { titles: list(text) }, () => ({ titles: [] })),
        read_note: define('Returns the text of a note.', { title: text }, { text }, () => ({ text: '' })),
        write_note: define('Writes a note.', { title: text, text }, { title: text }, ({ title }) => ({ title })),
        delete_note: define('Deletes a note.', { title: text }, { title: text }, ({ title }) => ({ title })),
      }),
    },
  };
}

/** @param {number} at @returns {Customer} */
function createCustomer(at) {
  const [first, family] = [NAMES[at % NAMES.length], FAMILIES[Math.floor(at / NAMES.length)]];
  const name = `${first} ${family}`;
  const email = `${name.toLowerCase().replace(' ', '.')}@example.com`;
  return { id: `c-${at}`, name, email, city: String(CITIES[at % CITIES.length]) };
}

/** One order in twelve is open. @param {string} customer @param {number} at @param {number} n @returns {Order} */
function createOrder(customer, at, n) {
  const lines = Array.from({ length: 2 + ((at + n) % 3) }, (_, i) => ({
    article: String(ARTICLES[(at * 3 + n * 2 + i) % ARTICLES.length]),
    quantity: 1 + ((at + i) % 4),
    price: 20 + ((at * 37 + n * 11 + i * 53) % 180),
  }));
  const total = lines.reduce((sum, { quantity, price }) => sum + quantity * price, 0);
  const place = at * 5 + n;
  const status = place % 12 === 4 ? 'open' : place % 7 === 3 ? 'cancelled' : 'paid';
  return { id: `o-${at}-${n}`, customer, date: `2026-0${n + 1}-${10 + (at % 18)}`, status, total, lines };
}

/** @param {Order} order */
function createShipment({ id, date }) {
  const carrier = String(CARRIERS[id.length % CARRIERS.length]);
  return { carrier, number: `${carrier}-${id}`, delivery: date };
}

const VERBS = [
  'add',
  'archive',
  'check',
  'copy',
  'count',
  'create',
  'delete',
  'export',
  'import',
  'list',
  'move',
  'read',
];
const THINGS = [
  'account',
  'album',
  'branch',
  'budget',
  'calendar',
  'camera',
  'channel',
  'contract',
  'device',
  'domain',
];
const PLACES = ['bank', 'cloud', 'factory', 'farm', 'home', 'library', 'office', 'port', 'school', 'studio'];

/** Creates a server of other tools, each with another name. @param {number} length */
export function createOtherTools(length) {
  const names = Array.from({ length }, (_, at) => {
    const pick = (/** @type {readonly string[]} */ words, /** @type {number} */ step) =>
      String(words[Math.floor(at / step) % words.length]);
    const words = [pick(VERBS, 1), pick(PLACES, VERBS.length * THINGS.length), pick(THINGS, VERBS.length)];
    const round = Math.floor(at / (VERBS.length * THINGS.length * PLACES.length));
    return { words, name: [...words, ...(round > 0 ? [String(round + 1)] : [])].join('_') };
  });
  const tools = names.map(({ name, words: [verb, place, thing] }) => [
    name,
    define(`${verb} a ${thing} of the ${place}.`, { id: text }, { done: { type: 'boolean' } }, () => ({ done: true })),
  ]);
  return createServer({ name: 'other', version: '1.0.0', tools: Object.fromEntries(tools) });
}
