package apitest

import (
	"slices"
	"strings"

	utilnet "k8s.io/apimachinery/pkg/util/net"
)

// warningBytes bounds the warnings of one answer: a body can be full of things
// to warn of.
const warningBytes = 4 << 10

// warn sends a warning with the answer, which must not have begun. The same
// text is sent once.
func (c *call) warn(text string) {
	line, err := utilnet.NewWarningHeader(299, "-", text)
	if err != nil {
		return // not text
	}
	sent := c.w.Header().Values("Warning")
	size := len(line)
	for _, other := range sent {
		size += len(other)
	}
	if size <= warningBytes && !slices.Contains(sent, line) {
		c.w.Header().Add("Warning", line)
	}
}

// warnOf sends what was found in a body, each as a warning. The YAML decoder
// puts all of its findings into one error.
func (c *call) warnOf(findings []error) {
	for _, found := range findings {
		text := strings.TrimPrefix(found.Error(), "error converting YAML to JSON: ")
		for line := range strings.SplitSeq(strings.TrimPrefix(text, "yaml: unmarshal errors:\n"), "\n") {
			c.warn(strings.TrimSpace(line))
		}
	}
}
