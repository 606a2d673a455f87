/**
 * A small web server for pages of ours, on the JDK's own. A {@link dev.holdfast.dashboard.web.Site} has the routes, the files and
 * the rules for every request; a {@link dev.holdfast.dashboard.web.WebServer} serves it on a port, or an {@code HttpServer} that is
 * already there serves it below a path. {@link dev.holdfast.dashboard.web.Access} says who may enter, an {@link
 * dev.holdfast.dashboard.web.EventHub} sends to the browsers that look.
 *
 * <p>For readers of the code: {@code Site.handle} is the path of a request. {@code HostNames} refuses rebound names, {@code
 * OriginCheck} foreign pages, {@code Sessions} and {@code Attempts} belong to {@code Access}. Each browser that listens is a {@code
 * Viewer} with a thread of its own; all other requests share {@code RequestThreads}, each for a limited time.
 */
@NullMarked
package dev.holdfast.dashboard.web;

import org.jspecify.annotations.NullMarked;
