// @ts-check
/**
 * The tasks, each solved twice: by calls one after the other, of which those that do not need each other's results are
 * made together, and by one program. No model takes part: the calls and the programs are written here.
 */

/** @typedef {import('./shop.mjs').Customer} Customer */
/** @typedef {import('./shop.mjs').Order} Order */
/** One call of a tool. @typedef {{ name: string, arguments: Record<string, unknown> }} ToolCall */
/** Makes calls together, in one round trip. @typedef {(...calls: ToolCall[]) => Promise<any[]>} CallTogether */
/**
 * `queries`: what is searched for where the tools are not listed. `tools`: those that are needed.
 * @typedef {{ title: string, queries: readonly string[], tools: readonly string[], direct: (call: CallTogether) => Promise<unknown>, program: string }} Task
 */

/** @param {string} name @param {Record<string, unknown>} given @returns {ToolCall} */
const to = (name, given) => ({ name, arguments: given });
const reminder = (/** @type {Order} */ { id, total }) => ({
  subject: `Order ${id}`,
  text: `Please pay ${total} for the order ${id}.`,
});

/** @type {readonly Task[]} */
export const tasks = [
  {
    title: 'the total of one order',
    queries: ['get an order by its id'],
    tools: ['shop__get_order'],
    async direct(call) {
      const [{ order }] = await call(to('shop__get_order', { id: 'o-7-1' }));
      return order.total;
    },
    program: `const { order } = await tools.shop__get_order({ id: 'o-7-1' });
return order.total;`,
  },
  {
    title: 'the carrier of the latest order of a customer, by three calls that need each other',
    queries: ['find a customer by name', 'orders of a customer', 'shipment of an order'],
    tools: ['shop__find_customer', 'shop__list_orders', 'shop__get_shipment'],
    async direct(call) {
      const [{ customers }] = await call(to('shop__find_customer', { name: 'Eva Lind' }));
      const [{ orders }] = await call(to('shop__list_orders', { customer: customers[0].id }));
      const [{ carrier }] = await call(to('shop__get_shipment', { order: orders.at(-1).id }));
      return carrier;
    },
    program: `const { customers } = await tools.shop__find_customer({ name: 'Eva Lind' });
const { orders } = await tools.shop__list_orders({ customer: customers[0].id });
const { carrier } = await tools.shop__get_shipment({ order: orders.at(-1).id });
return carrier;`,
  },
  {
    title: 'the customer of a city who paid most, of ten customers',
    queries: ['list the customers of a city', 'orders of a customer'],
    tools: ['shop__list_customers', 'shop__list_orders'],
    async direct(call) {
      const [{ customers }] = await call(to('shop__list_customers', { city: 'Oslo' }));
      const found = await call(
        ...customers.map((/** @type {Customer} */ { id }) => to('shop__list_orders', { customer: id })),
      );
      const sums = found.map(({ orders }) =>
        orders.reduce(
          (/** @type {number} */ sum, /** @type {Order} */ each) => sum + (each.status === 'paid' ? each.total : 0),
          0,
        ),
      );
      const most = Math.max(...sums);
      return { name: customers[sums.indexOf(most)].name, paid: most };
    },
    program: `const { customers } = await tools.shop__list_customers({ city: 'Oslo' });
const paid = await Promise.all(customers.map(async ({ id, name }) => {
  const { orders } = await tools.shop__list_orders({ customer: id });
  return { name, paid: orders.filter(o => o.status === 'paid').reduce((sum, o) => sum + o.total, 0) };
}));
return paid.sort((a, b) => b.paid - a.paid)[0];`,
  },
  {
    title: 'a mail for each open order of thirty customers',
    queries: ['list all customers', 'orders of a customer', 'send a mail'],
    tools: ['shop__list_customers', 'shop__list_orders', 'mail__send_mail'],
    async direct(call) {
      const [{ customers }] = await call(to('shop__list_customers', { city: '' }));
      const found = await call(
        ...customers.map((/** @type {Customer} */ { id }) => to('shop__list_orders', { customer: id })),
      );
      const mails = found.flatMap(({ orders }, at) =>
        orders
          .filter((/** @type {Order} */ { status }) => status === 'open')
          .map((/** @type {Order} */ order) => to('mail__send_mail', { to: customers[at].email, ...reminder(order) })),
      );
      await call(...mails);
      return mails.length;
    },
    program: `const { customers } = await tools.shop__list_customers({ city: '' });
const found = await Promise.all(customers.map(({ id }) => tools.shop__list_orders({ customer: id })));
const mails = found.flatMap(({ orders }, at) => orders.filter(o => o.status === 'open').map(o => ({
  to: customers[at].email, subject: \`Order \${o.id}\`, text: \`Please pay \${o.total} for the order \${o.id}.\`,
})));
await Promise.all(mails.map(mail => tools.mail__send_mail(mail)));
return mails.length;`,
  },
];
