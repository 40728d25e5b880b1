import { createReadStream } from 'node:fs';
import { checkString, requireArgument, requireKnownOptions, TenonError } from '@tenon/base';
import { type AuditVerification, type AuditVerifyOptions, verifyAudit } from '../../../security/audit/verify-audit.js';
import { listAuditFiles } from './audit-file-names.js';

const LINE_FEED = 10;

/**
 * Reads the bytes of an audit log, over all its files.
 * @throws TenonError `audit/none` when there is none, or `audit/failed`.
 */
export async function* readAudit(path: string): AsyncIterable<Uint8Array> {
  for await (const { bytes } of readChunks(path)) yield bytes;
}

/** Verification of an audit log in files, with the file of the finding and its line in that file, from 1. */
export interface AuditFileVerification extends AuditVerification {
  /** Files that were verified, oldest first. */
  readonly files: readonly string[];
  /** Location of the finding. */
  readonly at?: { readonly file: string; readonly line: number };
}

/**
 * Verifies an audit log over all its files.
 * @throws TenonError `audit/none`, `audit/failed` or `audit/weak-key`.
 */
export async function verifyAuditFile(path: string, options: AuditVerifyOptions = {}): Promise<AuditFileVerification> {
  requireArgument('`path` of verifyAuditFile', path, checkString);
  requireKnownOptions('verifyAuditFile', options, { key: true, through: true, onAnchor: true });
  const starts: { file: string; lines: number }[] = [];
  let lines = 0;
  async function* countLines() {
    for await (const { file, bytes } of readChunks(path)) {
      if (starts.at(-1)?.file !== file) starts.push({ file, lines });
      for (let at = bytes.indexOf(LINE_FEED); at >= 0; at = bytes.indexOf(LINE_FEED, at + 1)) lines += 1;
      yield bytes;
    }
  }
  const verdict = await verifyAudit(countLines(), options);
  const { finding } = verdict;
  const start = finding && starts.findLast(each => each.lines < finding.line);
  const at = start && { file: start.file, line: finding.line - start.lines };
  return { ...verdict, files: await listAuditFiles(path), ...(at && { at }) };
}

async function* readChunks(path: string): AsyncGenerator<{ file: string; bytes: Uint8Array }> {
  const files = await listAuditFiles(path);
  if (files.length === 0) throw new TenonError('audit/none', `audit record not found: ${path}`, { hint: NEXT });
  for (const file of files) {
    try {
      for await (const bytes of createReadStream(file)) yield { file, bytes: bytes as Uint8Array };
    } catch (error) {
      throw TenonError.from(error, 'audit/failed', { hint: `see whether ${file} can be read` });
    }
  }
}

const NEXT = 'pass the path that the host uses';
