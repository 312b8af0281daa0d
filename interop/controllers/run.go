package controllers

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
)

// Run runs a program and returns its output. Its log is in the error.
func Run(ctx context.Context, file, kubeconfig string) (printed string, err error) {
	cmd := exec.CommandContext(ctx, file, "-kubeconfig", kubeconfig)
	var out, log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &log
	if err := cmd.Run(); err != nil {
		build := filepath.Base(filepath.Dir(file))
		return out.String(), fmt.Errorf("%s, %s: %w\n%s", filepath.Base(file), build, err, strings.TrimSpace(log.String()))
	}
	return out.String(), nil
}
