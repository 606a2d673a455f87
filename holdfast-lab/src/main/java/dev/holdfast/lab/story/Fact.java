package dev.holdfast.lab.story;

import dev.holdfast.lab.wire.Lane;

/**
 * Something that was measured at the end of a story.
 *
 * @param lane which lock it is about
 * @param harm whether something went wrong for the lock's user: as told, where the story tells of it
 */
public record Fact(Lane lane, boolean harm, String text) {}
