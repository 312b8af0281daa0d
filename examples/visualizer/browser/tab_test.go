package browser

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// timeout is the time limit of one call of tab.run, and of waitFor. It is much longer
// than any of them takes on a loaded machine.
const timeout = time.Minute

// tabOptions configure a tab. The zero value is a light page at 1280 pixels in English.
type tabOptions struct {
	width, height int64
	dark          bool
	reducedMotion bool
	language      string // an Accept-Language header; "" is en-US
}

// tab is a tab with its own cookies and storage. An error on its console fails the
// test at its end.
type tab struct {
	t   *testing.T
	ctx context.Context

	mu     sync.Mutex
	errors []string
}

// newTab opens an empty tab, which is closed at the end of the test. It skips the test
// if no browser is installed.
func newTab(t *testing.T, o tabOptions) *tab {
	t.Helper()
	if chromium == nil {
		t.Skip("SKIPPED: no Chromium found; on Debian: apt-get install chromium")
	}
	ctx, closeTab := chromedp.NewContext(chromium, chromedp.WithNewBrowserContext())
	p := &tab{t: t, ctx: ctx}
	t.Cleanup(func() {
		closeTab()
		for _, message := range p.consoleErrors() {
			t.Errorf("on the console: %s", message)
		}
	})
	// The first call creates the tab. It has no time limit, which would end the tab.
	if err := chromedp.Listen(ctx, p.listen); err != nil {
		t.Fatal(err)
	}
	if o.width == 0 {
		o.width = 1280
	}
	if o.height == 0 {
		o.height = 900
	}
	if o.language == "" {
		o.language = "en-US,en;q=0.9"
	}
	scheme, motion := "light", "no-preference"
	if o.dark {
		scheme = "dark"
	}
	if o.reducedMotion {
		motion = "reduce"
	}
	call(p, log.Enable, cdp.Empty{})
	call(p, network.Enable, network.EnableParams{})
	call(p, runtime.Enable, cdp.Empty{})
	call(p, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: o.width, Height: o.height, DeviceScaleFactor: 1})
	call(p, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: motion},
	}})
	call(p, network.SetExtraHTTPHeaders, network.SetExtraHTTPHeadersParams{Headers: network.Headers{"Accept-Language": o.language}})
	return p
}

// listen records what the console shows as an error: exceptions, calls of console.error,
// failed requests, and violations of the Content-Security-Policy.
func (p *tab) listen(event any) {
	switch event := event.(type) {
	case *runtime.EventExceptionThrown:
		text := event.ExceptionDetails.Text
		if e := event.ExceptionDetails.Exception; e != nil {
			text += " " + e.Description
		}
		p.addError(text)
	case *runtime.EventConsoleAPICalled:
		if event.Type == runtime.ConsoleAPICalledTypeError {
			var words []string
			for _, argument := range event.Args {
				words = append(words, string(argument.Value)+argument.Description)
			}
			p.addError(strings.Join(words, " "))
		}
	case *log.EventEntryAdded:
		if event.Entry.Level == log.EntryLevelError {
			p.addError(fmt.Sprintf("%s %s", event.Entry.Text, event.Entry.URL))
		}
	}
}

func (p *tab) addError(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.errors = append(p.errors, text)
}

// consoleErrors returns the errors since the last call.
func (p *tab) consoleErrors() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	errors := p.errors
	p.errors = nil
	return errors
}

// call sends a command of the DevTools protocol, and returns its result.
func call[P, R any](p *tab, command cdp.Command[P, R], params P) R {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, timeout)
	defer cancel()
	result, err := chromedp.Call(ctx, command, params)
	if err != nil {
		p.t.Fatalf("%s: %v", command.Method, err)
	}
	return result
}

// run performs actions, and fails the test if one fails or they take too long.
func (p *tab) run(actions ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, timeout)
	defer cancel()
	if err := chromedp.Do(ctx, actions...); err != nil {
		p.t.Fatal(err)
	}
}

// open loads a page.
func (p *tab) open(url string) {
	p.t.Helper()
	p.run(chromedp.Navigate(url))
}

// eval returns the value of a JavaScript expression, for which it waits if it is a
// promise. The Content-Security-Policy of the page does not apply.
func eval[T any](p *tab, expression string) T {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, timeout)
	defer cancel()
	value, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		p.t.Fatalf("%s: %v", expression, err)
	}
	return value
}

// waitFor waits until a JavaScript expression is true.
func (p *tab) waitFor(expression string) {
	p.t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for began := time.Now(); !eval[bool](p, "Promise.resolve("+expression+").then(Boolean)"); <-tick.C {
		if time.Since(began) > timeout {
			p.t.Fatalf("not true within %v: %s\n%s", timeout, expression, eval[string](p, "document.body.innerText"))
		}
	}
}

// screenshot saves an image of the whole page, or of the visible part of it. The folder
// is that of the flag -screenshots; without the flag there is none.
func (p *tab) screenshot(name string, whole bool) {
	p.t.Helper()
	if *screenshots == "" {
		return
	}
	params := page.CaptureScreenshotParams{CaptureBeyondViewport: &whole}
	if whole {
		// The image has no scroll bar, and so the page is as wide as the window.
		size := eval[[]float64](p, `[innerWidth, document.documentElement.scrollHeight]`)
		params.Clip = &page.Viewport{Width: size[0], Height: size[1], Scale: 1}
	}
	image := call(p, page.CaptureScreenshot, params)
	if len(image.Data) == 0 {
		p.t.Fatal("the screenshot is empty")
	}
	saveScreenshot(p.t, name, image.Data)
}

// overflow returns the elements that reach beyond the right edge of the window. Those in
// an element with the attribute data-scrolls may do so, and so may a text that ends with
// an ellipsis, the text of an input, and a text for screen readers.
func (p *tab) overflow() []string {
	p.t.Helper()
	return eval[[]string](p, `(() => {
		const width = document.documentElement.clientWidth;
		const all = [...document.querySelectorAll("body *")];
		const free = new Set(all.filter(e => e.hasAttribute("data-scrolls") || getComputedStyle(e).textOverflow === "ellipsis" || getComputedStyle(e).clipPath !== "none"));
		const mayBeWide = (e) => e && (free.has(e) || mayBeWide(e.parentElement));
		const wide = all.filter(e =>
			Math.max(e.getBoundingClientRect().right, e.getBoundingClientRect().left + (mayBeWide(e) || e.matches("input") ? 0 : e.scrollWidth)) > width + 0.5 &&
			!mayBeWide(e.parentElement)).map(e => e.outerHTML.slice(0, 120));
		return wide.length || document.documentElement.scrollWidth <= width ? wide : ["the page"];
	})()`)
}

// requireNoOverflow fails the test if the page is wider than its window.
func (p *tab) requireNoOverflow() {
	p.t.Helper()
	if wide := p.overflow(); len(wide) > 0 {
		p.t.Errorf("the page is wider than its window: %q", wide)
	}
}
