import { isObject, type JsonObject } from '@tenon/base';
import type { AuditHead } from './audit-event.js';

/** Position in the audit log of one replica. It proves that the log contains this line. */
export interface AuditAnchor extends AuditHead {
  /** Name of the replica that writes the log. */
  readonly replica: string;
}

/** Matches the name of a replica. */
const REPLICA = /^[\w.-]{1,128}$/;

/** Tells if a text can be the name of a replica. */
export const isReplicaName = (name: unknown): name is string => typeof name === 'string' && REPLICA.test(name);

/** Reads an anchor. Returns `undefined` for another value. */
export function readAnchor({ replica, seq, hash }: JsonObject): AuditAnchor | undefined {
  if (!isReplicaName(replica) || !Number.isSafeInteger(seq) || typeof hash !== 'string') return undefined;
  return { replica, seq: seq as number, hash };
}

/** Reads the anchors of other replicas in a line of an audit log. */
export function readAnchors({ record, anchors }: JsonObject): AuditAnchor[] {
  if (record !== 'anchored' || !Array.isArray(anchors)) return [];
  return anchors.flatMap(each => (isObject(each) ? (readAnchor(each) ?? []) : []));
}
