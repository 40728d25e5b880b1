import { isObject, toJsonObject } from '@tenon/base';
import { loadPeerSchema, protocolVersions, type Tool } from 'tenon';
import { formatCount } from '../../screen.js';
import type { Check } from '../check.js';
import { type Finding, type FindingFactory, getSpecificationPage } from '../finding.js';
import { MAX_ENUM, readSchemaFeatures, type SchemaFeatures } from '../lint-schema.js';
import { shorten } from './names.js';

/** Combinations at the root of a schema that model APIs refuse. */
const ROOT_COMBINATIONS = ['anyOf', 'oneOf', 'allOf', 'not'];
/** Share of parameters without a description above which the doctor remarks on it. */
const MAX_UNDESCRIBED = 0.5;

/** Examines the schemas and descriptions of tools. */
export const schemasCheck: Check = {
  id: 'schemas',
  title: 'Tool schemas',
  requires: 'connection',
  async run({ connection }, findings) {
    const tools = connection?.tools ?? [];
    if (tools.length === 0) return [];
    const features = tools.map(({ name, inputSchema }) => ({ name, ...readSchemaFeatures(inputSchema) }));
    const results = [
      ...(await checkValid(tools, findings)),
      ...checkRoots(tools, findings),
      ...checkForms(tools, connection?.client.server.protocolVersion ?? '', findings),
      ...checkDescriptions(tools, features, findings),
      ...checkFeatures(features, findings),
    ];
    const isValid = results.every(({ severity }) => severity === 'info');
    return isValid
      ? [...results, findings.ok('valid', `the schemas of ${formatCount(tools.length, 'tool')} are valid`)]
      : results;
  },
};

/** Features of the input schema of a tool. */
type NamedFeatures = SchemaFeatures & Pick<Tool, 'name'>;

const PAGE = getSpecificationPage('server/tools#tool');
/** Only the newest version allows true and false as the schema of a property, and an output that is no object. */
const [NEWEST_VERSION] = protocolVersions;

/** Compiles each schema. A schema that cannot be compiled cannot be checked by any client. */
async function checkValid(tools: readonly Tool[], { problem }: FindingFactory): Promise<Finding[]> {
  const faults: string[] = [];
  for (const { name, inputSchema, outputSchema } of tools) {
    for (const [label, schema] of Object.entries({ inputSchema, outputSchema })) {
      if (schema === undefined) continue;
      const [fault] = isObject(schema) ? (await loadPeerSchema(schema)).findFaults() : ['not an object'];
      if (fault !== undefined) faults.push(`${name}: ${label}: ${fault}`);
    }
  }
  if (faults.length === 0) return [];
  return [
    problem('invalid', `${formatCount(faults.length, 'invalid or too complex schema')}`, {
      seen: shorten(faults),
      cause: 'clients reject the tool, or do not check its arguments and results',
      fix: 'correct the schemas: JSON Schema 2020-12, unless $schema names another draft',
      spec: PAGE,
    }),
  ];
}

function checkRoots(tools: readonly Tool[], { problem, warning }: FindingFactory): Finding[] {
  const untyped = tools.filter(({ inputSchema }) => isObject(inputSchema) && inputSchema.type !== 'object');
  const has = ({ inputSchema }: Tool, keyword: string) => isObject(inputSchema) && inputSchema[keyword] !== undefined;
  const combined = tools.filter(each => ROOT_COMBINATIONS.some(keyword => has(each, keyword)));
  const keywords = ROOT_COMBINATIONS.filter(keyword => combined.some(each => has(each, keyword)));
  return [
    ...(untyped.length === 0
      ? []
      : [
          problem('type', `${formatCount(untyped.length, 'input schema')} without "type": "object"`, {
            seen: shorten(untyped.map(({ name }) => name)),
            cause: 'the specification requires it, and official clients reject the whole list of tools',
            fix: 'add "type": "object" to the root of inputSchema',
            spec: PAGE,
          }),
        ]),
    ...(combined.length === 0
      ? []
      : [
          warning(
            'combination',
            `${formatCount(combined.length, 'input schema')} with ${keywords.map(each => `\`${each}\``).join(' or ')} at the root`,
            {
              seen: shorten(combined.map(({ name }) => name)),
              cause: 'the APIs of OpenAI and Anthropic refuse such tools',
              fix: 'write one object with optional properties, and check the combination in the tool',
            },
          ),
        ]),
  ];
}

/** Finds forms of schemas that only the newest version allows, in definitions of a server of an earlier one. */
function checkForms(tools: readonly Tool[], version: string, { problem }: FindingFactory): Finding[] {
  if (version === NEWEST_VERSION) return [];
  const found = tools.flatMap(({ name, inputSchema, outputSchema }) => [
    ...Object.entries({ inputSchema, outputSchema }).flatMap(([member, schema]) =>
      Object.entries(toJsonObject(toJsonObject(schema).properties))
        .filter(([, property]) => typeof property === 'boolean')
        .map(([key]) => `${name}: ${member}.properties.${key}`),
    ),
    ...(isObject(outputSchema) && outputSchema.type !== 'object' ? [`${name}: outputSchema.type`] : []),
  ]);
  if (found.length === 0) return [];
  return [
    problem('form', `${formatCount(found.length, 'part')} of schemas that ${version} does not allow`, {
      seen: shorten(found),
      cause: 'clients with the official SDK v1 for TypeScript, such as Claude Code, refuse the whole list of tools',
      fix: 'write {} in place of true, and { "not": {} } in place of false; give each outputSchema "type": "object"',
      spec: getSpecificationPage('server/tools#tool', version),
    }),
  ];
}

function checkDescriptions(
  tools: readonly Tool[],
  features: readonly NamedFeatures[],
  { info, warning }: FindingFactory,
): Finding[] {
  const silent = tools.filter(({ description }) => !description?.trim()).map(({ name }) => name);
  const total = features.reduce((sum, { properties }) => sum + properties, 0);
  const undescribed = features.flatMap(({ name, undescribed }) => undescribed.map(path => `${name}.${path}`));
  return [
    ...(silent.length === 0
      ? []
      : [
          warning('description', `${silent.length} of ${tools.length} tools have no description`, {
            seen: shorten(silent),
            cause: 'models choose tools by their descriptions',
            fix: 'describe the effect of the tool, and when to use it',
          }),
        ]),
    ...(total === 0 || undescribed.length / total <= MAX_UNDESCRIBED
      ? []
      : [
          info('parameters', `${undescribed.length} of ${total} parameters have no description`, {
            seen: shorten(undescribed),
            fix: 'add "description" to the properties whose name does not explain them',
          }),
        ]),
  ];
}

const PORTABLE_FIX =
  'write the definitions in place, and anyOf in place of lists of types; with Tenon, pass `portableSchemas: true` to createServer';

function checkFeatures(features: readonly NamedFeatures[], { info, warning, problem }: FindingFactory): Finding[] {
  const list = (key: 'externalReferences' | 'largeEnums' | 'invalidKeys' | 'typeLists' | 'undefinedRequired') =>
    features.flatMap(each => each[key].map(path => `${each.name}: ${path}`));
  const [external, enums, keys] = [list('externalReferences'), list('largeEnums'), list('invalidKeys')];
  const referring = features.filter(({ hasReference }) => hasReference).map(({ name }) => name);
  const undefinedRequired = list('undefinedRequired');
  const findings: Finding[] = [];
  if (undefinedRequired.length > 0)
    findings.push(
      warning(
        'required',
        `${formatCount(undefinedRequired.length, 'required parameter')} that the schema does not describe`,
        {
          seen: shorten(undefinedRequired),
          cause: 'the model does not know the parameter, so calls lack it, and some model APIs refuse the tool',
          fix: 'describe the parameter in `properties`, or take it out of `required`',
          spec: PAGE,
        },
      ),
    );
  if (external.length > 0)
    findings.push(
      problem('reference', 'schemas refer to other documents', {
        seen: shorten(external),
        cause: 'clients do not load other documents',
        fix: 'copy the definition into $defs of the schema',
      }),
    );
  if (enums.length > 0)
    findings.push(
      warning('enum', `lists of more than ${MAX_ENUM} values`, {
        seen: shorten(enums),
        cause: 'the values take space in the context of the model, and some model APIs limit them',
        fix: 'accept a text, and offer a tool or a completion that searches the values',
      }),
    );
  if (keys.length > 0)
    findings.push(
      warning('keys', 'names of parameters that the API of Anthropic refuses', {
        seen: shorten(keys),
        cause: 'it accepts 1 to 64 of A-Z a-z 0-9 _ . -, and refuses the request with all tools',
        fix: 'rename the parameters',
      }),
    );
  if (referring.length > 0 && external.length === 0)
    findings.push(
      info('local-reference', `${formatCount(referring.length, 'input schema')} with $ref`, {
        seen: shorten(referring),
        cause:
          'VS Code Copilot, Copilot CLI, Claude Desktop, Cursor and AWS Bedrock AgentCore drop or refuse references in some versions, so the model sees no parameters',
        fix: `${PORTABLE_FIX}; give a schema that contains itself a fixed depth`,
      }),
    );
  const typeLists = list('typeLists');
  if (typeLists.length > 0)
    findings.push(
      info('type-list', `${formatCount(typeLists.length, 'list')} of types in place of one type`, {
        seen: shorten(typeLists),
        cause:
          'the Gemini API refuses them in some places, also behind Copilot CLI and Gemini CLI, with all tools of the request',
        fix: PORTABLE_FIX,
      }),
    );
  return findings;
}
