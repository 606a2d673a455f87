/** The page of the lab: {@code LabSite} serves it and tells browsers what is on the board, as {@code Snapshot} writes it. */
@NullMarked
package dev.holdfast.lab.web;

import org.jspecify.annotations.NullMarked;
