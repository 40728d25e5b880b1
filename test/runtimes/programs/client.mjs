/** Takes the ways that its one argument lists, one after the other, and writes each verdict as a line of JSON. */
import { connect } from 'tenon';
import { smoke } from './smoke.mjs';

const takeAll = async ways => {
  for (const way of ways) console.log(JSON.stringify(await smoke(connect, way)));
};
takeAll(JSON.parse(process.argv[2])).then(() => process.exit());
