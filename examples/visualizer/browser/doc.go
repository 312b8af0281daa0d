// Package browser tests the pages of this repository in headless Chromium: the page
// of examples/visualizer and the debug page of package informer/debug.
//
// It is a module of its own, because only these tests need a client of the DevTools
// protocol. The tests are skipped if no Chromium is installed.
//
//	go -C examples/visualizer/browser test -count=1 ./...
//	go -C examples/visualizer/browser test ./... -args -screenshots=/tmp/screenshots
package browser
