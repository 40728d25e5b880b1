import { type SkillContent, type SkillEntry, skillsExtension, skillsOf } from '@tenon/skills/client';
import type { Command } from 'commander';
import { printServerBytes, printServerText } from '../calls/format-content.js';
import type { CliContext } from '../cli-context.js';
import { exitCodes } from '../exit-codes.js';
import { createCommand, formatExamples } from '../options/create-command.js';
import { formatColumns } from '../screen.js';
import { summaries } from '../summaries.js';
import { runWithClient, type TargetConnection } from '../target/run-with-client.js';
import { createTargetCommand, type TargetOptions, withTargetOptions } from '../target/target-options.js';
import { takeOnlyTarget, takeTarget } from '../target/target-reference.js';
import { createUnknownNameError } from '../tools/create-unknown-name-error.js';
import { createUsageError } from '../usage-error.js';

const MAX_DESCRIPTION = 100;
const EXTENSIONS = [skillsExtension];

export function createSkillsCommand(context: CliContext): Command {
  return createCommand('skills', summaries.skills)
    .addCommand(createListCommand(context))
    .addCommand(createReadCommand(context));
}

function createListCommand(context: CliContext): Command {
  const command = createTargetCommand('list', 'list the skills of a server, and read none', '').usage(
    '[options] TARGET\n       tenon skills list [options] -- COMMAND [ARGUMENTS…]',
  );
  return withTargetOptions(command)
    .addHelpText('after', formatExamples([['tenon skills list https://example.com/mcp', 'names and descriptions']]))
    .action(async (words: string[], options: TargetOptions) => {
      const reference = takeOnlyTarget(context, words);
      const work = (connection: TargetConnection) => reportSkills(context, connection, options);
      await runWithClient(context, reference, options, work, { extensions: EXTENSIONS });
    });
}

function createReadCommand(context: CliContext): Command {
  const command = createTargetCommand(
    'read',
    'print a file of a skill, after its size and digest are verified',
    'NAME [FILE]',
  ).usage('[options] TARGET NAME [FILE]\n       tenon skills read [options] NAME [FILE] -- COMMAND [ARGUMENTS…]');
  return withTargetOptions(command)
    .addHelpText('after', '\nNAME is the name or URI of a skill. FILE is a path in its folder (default: SKILL.md).')
    .addHelpText(
      'after',
      formatExamples([
        ['tenon skills read https://example.com/mcp pdf-processing', 'its SKILL.md'],
        ['tenon skills read https://example.com/mcp pdf-processing references/FORMS.md', 'another file'],
      ]),
    )
    .action(async (words: string[], options: TargetOptions) => {
      const { reference, rest } = takeTarget(context, words);
      const [name, path = 'SKILL.md', ...more] = rest;
      if (more.length > 0) throw createUsageError(`unknown argument: ${more.join(' ')}`, 'pass a skill and a file');
      const work = async (connection: TargetConnection) => {
        const skill = await findSkill(connection, name);
        const content = await skillsOf(connection.client).read(skill, path, { signal: connection.signal });
        await reportFile(context, skill, path, content, options);
      };
      await runWithClient(context, reference, options, work, { extensions: EXTENSIONS });
    });
}

async function reportSkills(
  context: CliContext,
  { client, signal, target }: TargetConnection,
  { json }: TargetOptions,
): Promise<void> {
  const { screen } = context;
  const { skills, errors } = await skillsOf(client).list({ signal });
  context.code = exitCodes.success;
  if (json) {
    const entries = skills.map(({ files, ...entry }) => ({ ...entry, resources: files ?? 'dynamic' }));
    return screen.printJson({ server: target.label, skills: entries, errors });
  }
  const { sanitizeText } = await import('@tenon/host');
  for (const error of errors) screen.note(`not a valid skill: ${sanitizeText(error, { max: 300 })}`, 'warning');
  if (skills.length === 0) return screen.print('The server lists no skills.');
  screen.print(
    formatColumns(
      skills.map(({ name, description, files }) => [
        name,
        files ? `${files.length} ${files.length === 1 ? 'file' : 'files'}` : 'generated',
        sanitizeText(description, { max: MAX_DESCRIPTION }),
      ]),
    ),
  );
}

/** Finds a skill by its name or URI. Without a name, the server must list exactly one. */
async function findSkill({ client, signal }: TargetConnection, name: string | undefined): Promise<SkillEntry> {
  if (name?.includes('://')) return skillsOf(client).get(name, { signal });
  const { skills } = await skillsOf(client).list({ signal });
  const matching = name === undefined ? skills : skills.filter(each => each.name === name);
  const [only, ...others] = matching;
  if (only && others.length === 0) return only;
  if (name === undefined)
    throw createUsageError('no name of a skill', `pass one of ${skills.map(each => each.name).join(', ') || 'none'}`);
  if (only)
    throw createUsageError(
      `several skills are named ${name}`,
      `pass a URI: ${matching.map(({ uri }) => uri).join(', ')}`,
    );
  throw await createUnknownNameError(
    'skill',
    name,
    skills.map(each => each.name),
  );
}

async function reportFile(
  context: CliContext,
  skill: SkillEntry,
  path: string,
  { bytes, text, verified }: SkillContent,
  { json }: TargetOptions,
): Promise<void> {
  context.code = exitCodes.success;
  const content = text === undefined ? { blob: Buffer.from(bytes).toString('base64') } : { text };
  if (json) context.screen.printJson({ skill: skill.name, uri: skill.uri, file: path, verified, ...content });
  else if (text === undefined) printServerBytes(context.screen, bytes, `${skill.uri} ${path}`);
  else await printServerText(context.screen, text.replace(/\n$/, ''));
}
