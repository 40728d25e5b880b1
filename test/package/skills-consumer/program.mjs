import { skills } from '@tenon/skills';
import { skillsExtension, skillsOf } from '@tenon/skills/client';
import { createSkillHost } from '@tenon/skills/host';
import { connect, createServer } from 'tenon';

const files = { 'a/SKILL.md': '---\nname: a\ndescription: b\n---\n\nDo it.\n' };
const server = createServer({ name: 's', version: '1.0.0', extensions: [skills(files)] });
const client = await connect(server, { extensions: [skillsExtension] });
const found = await skillsOf(client).list();
const host = createSkillHost({ servers: { s: client }, approve: () => true });
const { text } = await host.load({ server: 's', uri: 'skill://a/SKILL.md' });
console.log(found.skills.length, text.includes('Do it.'));
await client.close();
