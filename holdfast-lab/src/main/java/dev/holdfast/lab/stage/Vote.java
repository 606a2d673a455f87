package dev.holdfast.lab.stage;

/**
 * What a server keeps for a lock, as it has told.
 *
 * @param owner tells this tenure from others
 * @param client who has it, from 0; -1 if it is none of the lab's
 * @param token 0 for the plain lock
 * @param leftMillis by the clock of that server
 */
public record Vote(String owner, int client, long token, long leftMillis) {}
