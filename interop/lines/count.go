package main

import (
	"errors"
	"fmt"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// count is the number of lines of each kind. All non-empty lines of tests count as one
// kind.
type count struct{ code, comments, tests int }

func (c count) String() string { return fmt.Sprintf("%d\t%d\t%d", c.code, c.comments, c.tests) }

func (c *count) add(other count) {
	c.code += other.code
	c.comments += other.comments
	c.tests += other.tests
}

// countAll counts the files below a folder that match the patterns. A pattern without a
// match is an error: the files have been moved.
func countAll(in string, patterns []string) (sum count, err error) {
	for _, pattern := range patterns {
		if filepath.Ext(pattern) != ".go" {
			pattern = filepath.Join(pattern, "*.go")
		}
		files, err := filepath.Glob(filepath.Join(in, pattern))
		if err == nil && len(files) == 0 {
			err = fmt.Errorf("%s: there is no such file in %s", pattern, in)
		}
		if err != nil {
			return sum, err
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				return sum, err
			}
			sum.add(countOne(file, text))
		}
	}
	return sum, nil
}

// countBelow counts all Go files in folders and their subfolders.
func countBelow(in string, folders ...string) (sum count, err error) {
	for _, folder := range folders {
		err = errors.Join(err, filepath.WalkDir(filepath.Join(in, folder), func(name string, entry fs.DirEntry, err error) error {
			if err != nil || filepath.Ext(name) != ".go" {
				return err
			}
			text, err := os.ReadFile(name)
			sum.add(countOne(name, text))
			return err
		}))
	}
	return sum, err
}

// countOne counts a file. A line counts as code if any token of code is on it.
func countOne(name string, text []byte) count {
	set := token.NewFileSet()
	file := set.AddFile(name, set.Base(), len(text))
	code, comments := map[int]bool{}, map[int]bool{}
	var s scanner.Scanner
	s.Init(file, text, nil, scanner.ScanComments)
	for {
		pos, tok, literal := s.Scan()
		if tok == token.EOF {
			break
		}
		on := code
		if tok == token.COMMENT {
			on = comments
		}
		if tok == token.SEMICOLON && literal == "\n" {
			continue // inserted by the scanner at the end of a line
		}
		first := file.Line(pos)
		for line := first; line <= first+strings.Count(literal, "\n"); line++ {
			on[line] = true
		}
	}
	for line := range code {
		delete(comments, line)
	}
	if strings.HasSuffix(name, "_test.go") {
		return count{tests: len(code) + len(comments)}
	}
	return count{code: len(code), comments: len(comments)}
}
