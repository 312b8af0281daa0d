package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// replace replaces the content of a file atomically: readers see the old or the new
// content, also after a power failure. A file that has this content already is not
// written. Its permissions are kept; a new file is readable by all users.
func replace(name string, text []byte) (replaced bool, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("replace %s: %w", name, err)
		}
	}()
	target, mode := name, fs.FileMode(0o644)
	switch content, err := os.ReadFile(name); {
	case err == nil && bytes.Equal(content, text):
		return false, nil
	case err == nil:
		// A rename would replace a link instead of its target.
		if target, err = filepath.EvalSymlinks(name); err != nil {
			return false, err
		}
		info, err := os.Stat(target)
		if err != nil {
			return false, err
		}
		mode = info.Mode().Perm()
	case !errors.Is(err, fs.ErrNotExist):
		return false, err
	}
	temporary, err := writeBeside(target, text, mode)
	if err != nil {
		return false, err
	}
	defer os.Remove(temporary) // without effect after the rename
	if err := os.Rename(temporary, target); err != nil {
		return false, err
	}
	return true, syncDirectory(filepath.Dir(target))
}

// writeBeside writes a file into the directory of target, since a rename is atomic only
// within a file system. The name begins with a dot and has another suffix than target: if
// a crash leaves the file behind, an include of *.conf does not match it.
func writeBeside(target string, text []byte, mode fs.FileMode) (name string, err error) {
	file, err := os.CreateTemp(filepath.Dir(target), "."+filepath.Base(target)+".*")
	if err != nil {
		return "", err
	}
	_, err = file.Write(text)
	err = errors.Join(err, file.Chmod(mode), file.Sync(), file.Close())
	if err != nil {
		return "", errors.Join(err, os.Remove(file.Name()))
	}
	return file.Name(), nil
}

// syncDirectory makes a rename durable. Windows does not support it.
func syncDirectory(name string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	directory, err := os.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(directory.Sync(), directory.Close())
}
