package browser

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/chromedp/chromedp"
	"go.uber.org/goleak"
)

var screenshots = flag.String("screenshots", "", "write the screenshots of the tests to this `folder`")

// programs are the names of Chromium, in the order in which they are tried.
var programs = []string{"chromium", "chromium-browser", "google-chrome", "chrome"}

// chromium is the browser of all tests. It is nil if none is installed.
var chromium context.Context

// TestMain starts the browser once, since its start takes most of the time of a test.
func TestMain(m *testing.M) {
	flag.Parse()
	if runtime.GOMAXPROCS(0) < 6 { // most tests wait for a page most of the time
		if err := flag.Set("test.parallel", "6"); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}
	os.Exit(run(m))
}

func run(m *testing.M) int {
	stop, err := start()
	if err != nil {
		fmt.Fprintln(os.Stderr, "start Chromium:", err)
		return 1
	}
	code := m.Run()
	stop()
	removeVisualizer()
	if err := goleak.Find(); err != nil && code == 0 {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

// start starts the installed browser, if there is one.
func start() (stop func(), err error) {
	program := ""
	for _, name := range programs {
		if path, err := exec.LookPath(name); err == nil {
			program = path
			break
		}
	}
	if program == "" {
		return func() {}, nil
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(program),
		chromedp.Flag("hide-scrollbars", false), // they are part of the width
		chromedp.Flag("lang", "en-US"),
	)
	if os.Geteuid() == 0 { // Chromium refuses to run its sandbox as root
		options = append(options, chromedp.NoSandbox)
	}
	allocator, closeAllocator := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, closeBrowser := chromedp.NewContext(allocator)
	stop = func() {
		closeBrowser()
		closeAllocator()
	}
	if err := chromedp.Do(ctx); err != nil {
		stop()
		return nil, err
	}
	chromium = ctx
	return stop, nil
}

// saveScreenshot writes a PNG file to the folder of the flag.
func saveScreenshot(t *testing.T, name string, png []byte) {
	t.Helper()
	file := filepath.Join(*screenshots, name+".png")
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, png, 0o644); err != nil {
		t.Fatal(err)
	}
}
