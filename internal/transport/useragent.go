package transport

import (
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
)

const modulePath = "github.com/thinformer/thinformer"

// userAgent returns the User-Agent of requests.
func (c *Config) userAgent() string {
	if c.UserAgent != "" {
		return c.UserAgent
	}
	build, _ := debug.ReadBuildInfo()
	return defaultUserAgent(os.Args, build)
}

// defaultUserAgent has the program and its version, the platform, and this library,
// which identify a client in a server's audit log.
func defaultUserAgent(args []string, build *debug.BuildInfo) string {
	program, version, library := "unknown", "unknown", "unknown"
	if len(args) > 0 && args[0] != "" {
		program = filepath.Base(args[0])
	}
	if build != nil {
		version = orUnknown(build.Main.Version)
		if build.Main.Path == modulePath {
			library = version
		}
		for _, dep := range build.Deps {
			if dep.Path == modulePath {
				library = orUnknown(dep.Version)
			}
		}
	}
	return product(program) + "/" + product(version) +
		" (" + runtime.GOOS + "/" + runtime.GOARCH + ") thinformer/" + product(library)
}

func orUnknown(version string) string {
	if version == "" || version == "(devel)" {
		return "unknown"
	}
	return version
}

// product replaces characters that are invalid in a product token of the header.
func product(word string) string {
	return strings.Map(func(r rune) rune {
		if r < 0x80 && isTokenByte(byte(r)) {
			return r
		}
		return '_'
	}, word)
}
